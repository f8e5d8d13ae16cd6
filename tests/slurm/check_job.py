#!/usr/bin/env python3
"""Does what the manual shows of jobs on several nodes, with a real Slurm: record by a batch script, by Open MPI and around
torchrun, reduce and join, look into a running job. On the fake GPU; the nodes share nothing but a folder (up.sh --apart).

    check_job.py LANESCOPE FAKES      exit status 77 where there is no Slurm or no root: there is nothing to check
"""
import json
import pathlib
import shutil
import sys

from slurm_job import HERE, TRAIN, expect, main, until

MOST = 40_000  # bytes of a summary


def has_collectives(job):
    """Not where the toolkit's NVTX is too old."""
    return job.run(sys.executable, "-c", "import fake_gpu; fake_gpu.Nccl(0, 1)")[0] == 0


def training(job, ranks, iterations=200):
    """The arguments of a Python whose ranks wait for each other, so that their collectives can be joined."""
    (job.folder / "in_step").write_bytes(bytes(8 * ranks))
    collectives = ("--all-reduce", "4096") if has_collectives(job) else ()
    return (str(TRAIN), "--iterations", str(iterations), "--in-step", str(job.folder / "in_step"), *collectives)


def python(*arguments):
    return " ".join((sys.executable, *arguments))


def whole(job, *files):
    """The report of recordings that have an end."""
    report = job.report(*files)
    expect("cut off" not in report and "still being written" not in report, f"{files}: {report}")
    return report


def ranks_in(job, files):
    """As they are named in what a recording, or all of a folder, shows."""
    names = [event["args"]["name"] for event in job.events(files) if event.get("name") == "process_name"]
    return sorted(int(name.split()[1]) for name in names if name.startswith("rank ") and name.endswith(" · train.py"))


def expect_recordings(job, folder, ranks):
    names = [f"rank{rank:0{len(str(ranks - 1))}}.lanescope" for rank in range(ranks)]
    expect(job.names(folder) == names, job.names(folder))
    for rank, name in enumerate(names):
        whole(job, f"{folder}/{name}")
        there = ranks_in(job, f"{folder}/{name}")
        expect(there == [rank], f"{name}: {there}")


def summaries(job, folder):
    return {path.name: path.read_bytes() for path in sorted((job.folder / folder).glob("*.summary"))}


def expect_joined(job, folder, ranks, nodes):
    sizes = {name: len(content) for name, content in summaries(job, folder).items()}
    expect(len(sizes) == ranks and max(sizes.values()) <= MOST, sizes)
    said = json.loads(job.done("lanescope", "join", folder, "--json", "-"))
    expect([rank["rank"] for rank in said["ranks"]] == list(range(ranks)), said["ranks"])
    expect(said["ranks_of_job"] == ranks and said["missing"] == [], said)
    expect(sorted(node["name"] for node in said["nodes"]) == [f"n{node + 1}" for node in range(nodes)], said["nodes"])
    expect(all(rank["collectives"] > 0 for rank in said["ranks"]) or not has_collectives(job), said["ranks"])
    print("summaries of at most", max(sizes.values()), "bytes:", said["sentence"])


def in_batch(job, command, **variables):
    """In a script for sbatch, on two nodes of two ranks. Its output."""
    (job.folder / "script.sh").write_text("#!/bin/sh\n#SBATCH --nodes=2 --ntasks=4 --ntasks-per-node=2 --output=script.out\n"
                                          f"{command}\n")
    number = job.done("sbatch", "--parsable", "script.sh", **variables).strip()

    def state():
        return job.done("squeue", "--noheader", "--states=all", f"--jobs={number}", "--format=%T").strip()

    until(lambda: state() not in ("PENDING", "CONFIGURING", "RUNNING", "COMPLETING"), f"the end of: {command}")
    said = (job.folder / "script.out").read_text()
    expect(state() == "COMPLETED", said)
    return said


def a_batch_script_records(job):
    said = in_batch(job, f"srun lanescope attach --record job/ -- {python(*training(job, 4))}")
    expect(said.count("epoch 0 done") == 4, said)
    expect_recordings(job, "job", 4)


def an_array_reduces(job):
    job.done("sbatch", "--array=0-3", "--output=reduce%a.out", "--wait", "--wrap",
             "lanescope reduce job/ --part $SLURM_ARRAY_TASK_ID/4")
    expect_joined(job, "job", 4, 2)


def a_step_reduces_as_an_array_does(job):
    before = summaries(job, "job")
    for name in before:
        (job.folder / "job" / name).unlink()
    job.done("srun", "-n4", "sh", "-c", "lanescope reduce job/ --part $SLURM_PROCID/$SLURM_NTASKS")
    expect(summaries(job, "job") == before, "the summaries differ")


def mpirun_records(job):
    said = in_batch(job, f"mpirun lanescope attach --record m/ -- {python(*training(job, 4))}",
                    OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    expect(said.count("epoch 0 done") == 4, said)
    expect_recordings(job, "m", 4)


def a_recorder_around_torchrun_has_its_ranks(job):
    there = job.folder / "bin"
    there.mkdir()
    (there / "torchrun").symlink_to(HERE / "torchrun.py")
    job.done("srun", "-N2", "--ntasks-per-node=1", "lanescope", "attach", "--record", "t/", "--", "torchrun", "--nnodes=2",
             "--nproc_per_node=2", *training(job, 4), PATH=f"{there}:{job.environment['PATH']}")
    expect(job.names("t") == ["noden1.lanescope", "noden2.lanescope"], job.names("t"))
    for files, expected in (("t/noden1.lanescope", [0, 1]), ("t/noden2.lanescope", [2, 3]), ("t", [0, 1, 2, 3])):
        whole(job, files)
        ranks = ranks_in(job, files)
        expect(ranks == expected, f"{files}: {ranks}")


# Until there is a file that says "enough" to its rank.
TRAINS_ON = """import os, pathlib, sys, train
rank = os.environ["SLURM_PROCID"]
pathlib.Path("pid" + rank).write_text(str(os.getpid()))
sys.argv[1:] = ["--iterations", "20"]
while not os.path.exists("enough" + rank):
    train.main()
"""


def look(job, rank, *options, **variables):
    return job.run("lanescope", "attach", "--job", rank, *options, **variables)


def expect_refused(outcome, status, *phrases):
    got, out, errors = outcome
    expect(got == status and out == "" and errors.count("\n") == 1, f"status {got}, {out}{errors}")
    expect(all(phrase in errors for phrase in phrases), f"{phrases}: {errors}")


def a_running_job_is_looked_into(job):
    (job.folder / "train_on.py").write_text(TRAINS_ON)
    running = job.start("srun", "-N2", "-n4", "--ntasks-per-node=2", "sh", "-c",
                        '[ $SLURM_PROCID = 1 ] || set -- lanescope attach --record l/ -- "$@"; exec "$@"', "sh",
                        sys.executable, "train_on.py")
    pid = job.folder / "pid1"
    until(lambda: pid.exists() and pid.read_text() and
          all((job.folder / "l" / f"rank{rank}.lanescope").exists() for rank in (0, 2, 3)), "the job", running)
    number = job.done("squeue", "--noheader", "--states=RUNNING", "--format=%i").strip()
    copy, of_rank_1 = job.folder / "copy.lanescope", job.folder / "other.lanescope"
    looks = [job.start("lanescope", "attach", "--job", f"{number}.2", "--record", copy)]

    expect_refused(look(job, f"{number}.7", "--record", "no.lanescope"), 2, "the job has ranks 0 to 3")
    expect_refused(look(job, f"{number}.1", "--record", "no.lanescope"), 1,
                   f"rank 1 of job {number} is not being recorded", f"--pid {pid.read_text()}")
    no_srun = job.folder / "no_srun"
    no_srun.mkdir()
    for program in (job.lanescope, "sh", "squeue"):
        (no_srun / pathlib.Path(program).name).symlink_to(shutil.which(program))
    expect_refused(look(job, number, "--record", "no.lanescope", PATH=str(no_srun)), 1, "no srun here")
    looks.append(job.start("lanescope", "attach", "--job", f"{number}.1", "--pid", pid.read_text(), "--record", of_rank_1))

    original = job.folder / "l" / "rank2.lanescope"
    until(lambda: copy.exists() and copy.stat().st_size > 20_000, "the copy", looks[0])
    until(lambda: of_rank_1.exists() and of_rank_1.stat().st_size > 20_000, "a recording of the rank that had none", looks[1])
    before = copy.stat().st_size
    until(lambda: copy.stat().st_size > before, "more of the copy", looks[0])
    expect("cut off" in job.report(copy), "a copy that still grows has an end")
    (job.folder / "enough1").touch()  # the job goes on without it
    job.succeeded(looks[1])
    whole(job, of_rank_1)
    expect(job.names(".cache/lanescope") == [], "what was recorded on the node is still there")
    for rank in (0, 2, 3):  # with them the job ends, and all that is in it
        (job.folder / f"enough{rank}").touch()
    job.succeeded(running)
    job.succeeded(looks[0])
    expect(copy.read_bytes() == original.read_bytes(), "the copy is not what was recorded")
    whole(job, copy)
    expect(job.names("l") == [f"rank{rank}.lanescope" for rank in (0, 2, 3)], job.names("l"))
    expect(not (job.folder / "no.lanescope").exists(), "what was refused has left a file")
    expect_refused(look(job, number, "--record", "no.lanescope"), 1, "not running", "COMPLET")  # or it is about to be


def a_look_that_cannot_be_says_why(job):
    record = ("--record", "no.lanescope")
    expect_refused(look(job, "999999", *record), 1, "--job 999999", "Invalid job id")
    number = job.done("sbatch", "--parsable", "--hold", "--wrap", "true").strip()
    expect_refused(look(job, number, *record), 1, "not running", "PENDING")
    job.done("scancel", number)


def sixteen_ranks_on_eight_nodes_are_one_job(job):
    srun = ("srun", "-N8", "-n16", "--ntasks-per-node=2")
    job.done(*srun, "lanescope", "attach", "--record", "many/", "--", sys.executable, *training(job, 16, 50))
    expect_recordings(job, "many", 16)
    job.done(*srun, "sh", "-c", "lanescope reduce many/ --part $SLURM_PROCID/$SLURM_NTASKS")
    expect_joined(job, "many", 16, 8)


if __name__ == "__main__":
    two = (a_batch_script_records, an_array_reduces, a_step_reduces_as_an_array_does, mpirun_records,
           a_recorder_around_torchrun_has_its_ranks, a_running_job_is_looked_into, a_look_that_cannot_be_says_why)
    sys.exit(main((("--apart", "2"), two), (("--apart", "8"), (sixteen_ranks_on_eight_nodes_are_one_job,)), needed=("mpirun",)))
