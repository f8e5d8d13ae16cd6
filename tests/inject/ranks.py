"""Starts a command several times, each with a rank, as torchrun and the launchers of MPI and Slurm do.

    ranks.py [--like torchrun|mpirun|srun|pmi] N COMMAND...

It makes no calls to CUDA itself. Unlike torchrun it lets the others go on when one of them dies. Its status is that of the
first one that failed.
"""
import argparse
import os
import signal
import subprocess
import sys

VARIABLES = {
    "torchrun": ("RANK", "WORLD_SIZE"),
    "mpirun": ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    "srun": ("SLURM_PROCID", "SLURM_NTASKS"),
    "pmi": ("PMI_RANK", "PMI_SIZE"),
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--like", choices=VARIABLES, default="torchrun")
    parser.add_argument("ranks", type=int)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    clean = {name: value for name, value in os.environ.items()
             if not any(name in names for names in VARIABLES.values())}
    of_rank, of_ranks = VARIABLES[options.like]
    children = [subprocess.Popen(options.command, env={**clean, of_rank: str(rank), of_ranks: str(options.ranks),
                                                       "LOCAL_RANK": str(rank)})
                for rank in reversed(range(options.ranks))]  # not in their order: nobody may rely on it
    def end(*_):  # with them
        for child in children:
            child.terminate()
    signal.signal(signal.SIGTERM, end)
    failed = [status for status in [child.wait() for child in children] if status != 0]
    sys.exit(0 if not failed else failed[0] if failed[0] > 0 else 128 - failed[0])


if __name__ == "__main__":
    main()
