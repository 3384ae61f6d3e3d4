# Keeps the place of a job on its GPUs: an empty CUDA context on each, which nvidia-smi lists, until it is ended.
# CUDA_VISIBLE_DEVICES names the GPUs; the words name the server, the job and the attempt, by which it is found again.
import ctypes
import os
import signal
import sys

SCHEDULE_BLOCKING_SYNC = 4  # cuda.h, CU_CTX_SCHED_BLOCKING_SYNC: nobody spins


def fail(sentence):
    print("failed: " + sentence, flush=True)
    sys.exit(1)


def call(name, *arguments):
    code = getattr(cuda, name)(*arguments)
    if code != 0:
        fail("%s answered %d" % (name, code))


# A signal to the server's terminal is none for the job.
if os.getpid() != os.getsid(0):
    os.setsid()
os.chdir("/")
try:
    cuda = ctypes.CDLL("libcuda.so.1")
except OSError as error:
    fail("NVIDIA's driver library cannot be loaded: %s" % error)
wanted = len(os.environ["CUDA_VISIBLE_DEVICES"].split(","))
call("cuInit", 0)
count = ctypes.c_int()
call("cuDeviceGetCount", ctypes.byref(count))
if count.value != wanted:
    fail("CUDA sees %d of %d GPUs" % (count.value, wanted))
for index in range(wanted):
    device = ctypes.c_int()
    call("cuDeviceGet", ctypes.byref(device), index)
    context = ctypes.c_void_p()
    call("cuCtxCreate_v2", ctypes.byref(context), SCHEDULE_BLOCKING_SYNC, device)
print("ready", flush=True)
nothing = os.open(os.devnull, os.O_RDWR)
for descriptor in range(3):
    os.dup2(nothing, descriptor)
while True:
    signal.pause()
