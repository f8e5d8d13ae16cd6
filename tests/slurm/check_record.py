#!/usr/bin/env python3
"""Records jobs of a real Slurm with two nodes that share nothing but a folder (up.sh --apart), on the fake GPU.

    check_record.py LANESCOPE FAKES      exit status 77 where there is no Slurm or no root: there is nothing to check
"""
import sys

from slurm_job import TRAIN, expect, main, until


def each_task_has_its_file(job):
    train = (sys.executable, TRAIN, "--iterations", "100")
    status, out, errors = job.run(*job.srun(("--record", "a/"), *train))
    expect(status == 0, errors)
    expect(out == "epoch 0 done\n" * 4, f"the programs' output is their own: {out}")
    expect(job.names("a") == [f"rank{rank}.lanescope" for rank in range(4)], job.names("a"))
    processes = {event["args"]["name"] for path in (job.folder / "a").iterdir() for event in job.events(path)
                 if event.get("name") == "process_name"}
    expect({f"rank {rank} · train.py" for rank in range(4)} <= processes, processes)
    before = {path: path.read_bytes() for path in (job.folder / "a").iterdir()}
    status, _, errors = job.run(*job.srun(("--record", "a/"), *train))
    expect(status == 1, "what is there is not overwritten")
    expect(errors.count("is there already") == 4, errors)
    expect(all(path.read_bytes() == content for path, content in before.items()), "it has been overwritten")


def a_pattern_names_node_job_and_place(job):
    status, _, errors = job.run(*job.srun(("--record", "b/%n-%l-of-job%j.lanescope"), sys.executable, TRAIN, "--iterations", "10"))
    expect(status == 0, errors)
    names = job.names("b")
    number = names[0].split("job")[1]
    expect(names == [f"{node}-{place}-of-job{number}" for node in ("n1", "n2") for place in (0, 1)], names)
    expect(number.split(".")[0].isdigit(), names)


def two_with_one_name_are_told(job):
    status, _, errors = job.run(*job.srun(("--record", "one.lanescope"), sys.executable, TRAIN, "--iterations", "10", tasks=2))
    expect(status == 1, "a file is written by one")
    expect(errors.count("one.lanescope is there already") == 1, errors)
    job.report("one.lanescope")


def the_status_is_the_programs(job):
    status, _, errors = job.run(*job.srun(("--record", "c/"), "sh", "-c", "exit $((SLURM_PROCID + 2))"))
    expect(status == 5, f"{status} {errors}")


def a_launcher_is_told_what_to_write(job):
    status, _, errors = job.run(job.lanescope, "attach", "--record", "d.lanescope", "--", "srun", "-N2", "-n2",
                                "--ntasks-per-node=1", sys.executable, TRAIN, "--iterations", "10")
    expect(status == 0, errors)
    expect("srun started its processes on" in errors and "srun ... lanescope attach --record DIR/" in errors, errors)
    expect("without a call to the GPU" not in errors, errors)


def the_end_of_a_job_leaves_whole_recordings(job):
    # How often the program itself is told to end is its business: it is counted, and it ends with a status of its own.
    (job.folder / "told.py").write_text(
        "import os, pathlib, signal, sys, threading\n"
        f"sys.argv = [{str(TRAIN)!r}, '--iterations', '1000000']\n"
        "def told(*_):\n"
        "    with open('told' + os.environ['SLURM_PROCID'], 'a') as file:\n"
        "        file.write('x')\n"
        "    os._exit(7) if os.path.getsize('told' + os.environ['SLURM_PROCID']) == 2 else threading.Timer(1, os._exit, [7]).start()\n"
        "signal.signal(signal.SIGTERM, told)\n"
        "import runpy\n"
        f"runpy.run_path({str(TRAIN)!r}, run_name='__main__')\n")
    running = job.start(*job.srun(("--record", "e/"), sys.executable, "told.py"))
    files = [job.folder / "e" / f"rank{rank}.lanescope" for rank in range(4)]
    until(lambda: all(file.exists() and file.stat().st_size > 20_000 for file in files), "recordings", running)
    number = job.run("squeue", "-h", "-o", "%i")[1].split()[-1]
    job.done("scancel", number)
    _, _, errors = job.outcome(running)
    for rank, file in enumerate(files):
        report = job.report(file)
        expect("cut off" not in report and "still being written" not in report, f"{file}: {report}")
        times = len((job.folder / f"told{rank}").read_text())
        expect(times == 1, f"rank {rank} was told to end {times} times\n{errors}")


def collectives_of(job, file):
    """The numbers of those whose kernels were recorded."""
    return {event["args"]["External id"] for event in job.events(file)
            if event.get("name", "").startswith("ncclDevKernel") and "External id" in event.get("args", {})}


def bursts_meet(job):
    # Until its loop is found, a rank on a busy machine may look for it longer than the others do.
    looked_for = 600
    (job.folder / "in_step").write_bytes(bytes(8 * 4))
    status, _, errors = job.run(*job.srun(("--record", "f/"), sys.executable, TRAIN, "--iterations", "3000", "--kernel-us", "400",
                                          "--all-reduce", "4096", "--in-step", job.folder / "in_step"))
    if "NVTX has no payloads" in errors:
        return
    expect(status == 0, errors)
    ranks = [{number for number in collectives_of(job, job.folder / "f" / f"rank{rank}.lanescope") if number > looked_for}
             for rank in range(4)]
    common = set.intersection(*ranks)
    print("collectives recorded:", *(len(rank) for rank in ranks), "by all:", len(common))
    for rank in ranks:
        expect(len(common) >= 0.9 * len(rank), f"{len(common)} of {len(rank)} are recorded by all; not {sorted(rank - common)}")
    expect(len(common) > 50, f"{len(common)} collectives are no proof")


if __name__ == "__main__":
    sys.exit(main((("--apart", "2"), (
        each_task_has_its_file, a_pattern_names_node_job_and_place, two_with_one_name_are_told, the_status_is_the_programs,
        a_launcher_is_told_what_to_write, the_end_of_a_job_leaves_whole_recordings, bursts_meet))))
