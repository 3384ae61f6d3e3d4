"""A first job: says which GPUs it was given, works for a few seconds, and leaves a result behind."""

import os
import sys
import time

STEPS = 5

# Berth tells a job's GPUs by the first; a target has its engine's: Slurm's, or that of Kubernetes' device plugin.
TOLD_BY = ("BERTH_GPU_UUIDS", "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES")


def gpus_of_job():
    for name in TOLD_BY:
        gpus = [gpu for gpu in os.environ.get(name, "").split(",") if gpu not in ("", "void", "none")]
        if gpus:
            return gpus
    return []


def main():
    job = os.environ.get("BERTH_JOB_ID", "?")
    gpus = gpus_of_job()
    print("Hello from job %s, attempt %s." % (job, os.environ.get("BERTH_ATTEMPT", "?")))
    print("Asked for %s GPUs, got %d:" % (os.environ.get("BERTH_NUM_GPUS", "0"), len(gpus)))
    for index, gpu in enumerate(gpus):
        print("  %d: %s" % (index, gpu))

    total = 0
    for step in range(1, STEPS + 1):
        time.sleep(0.5)
        total += sum(n * n for n in range(100_000))
        # Without flush, Python keeps lines back when it does not write to a terminal.
        print("step %d of %d" % (step, STEPS), flush=True)

    folder = os.environ.get("BERTH_OUTPUT_DIR", ".")
    path = os.path.join(folder, "result.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write("job %s computed %d on %d GPUs\n" % (job, total, len(gpus)))
    print("The result is in %s" % path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
