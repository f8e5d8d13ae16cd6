#!/usr/bin/env python3
"""Stands in for torchrun, one on each node of a Slurm job: starts the node's processes and names their ranks as it does.

    torchrun.py --nnodes N --nproc_per_node N SCRIPT...

The nodes' order is Slurm's; torchrun's agree on one over the network. Its status is that of the first one that failed.
"""
import argparse
import os
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nnodes", type=int, required=True)
    parser.add_argument("--nproc_per_node", type=int, required=True)
    parser.add_argument("script", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    here, node = options.nproc_per_node, int(os.environ["SLURM_NODEID"])
    job = {"WORLD_SIZE": options.nnodes * here, "ROLE_WORLD_SIZE": options.nnodes * here, "LOCAL_WORLD_SIZE": here,
           "GROUP_WORLD_SIZE": options.nnodes, "GROUP_RANK": node, "TORCHELASTIC_RUN_ID": os.environ["SLURM_JOB_ID"],
           "TORCHELASTIC_RESTART_COUNT": 0, "MASTER_ADDR": "n1", "MASTER_PORT": 29500}
    children = []
    for local in range(here):
        rank = node * here + local
        own = job | {"RANK": rank, "ROLE_RANK": rank, "LOCAL_RANK": local}
        children.append(subprocess.Popen([sys.executable, *options.script],
                                         env=os.environ | {name: str(value) for name, value in own.items()}))
    failed = [status for status in [child.wait() for child in children] if status != 0]
    sys.exit(0 if not failed else failed[0] if failed[0] > 0 else 128 - failed[0])


if __name__ == "__main__":
    main()
