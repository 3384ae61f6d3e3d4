/*
 * A stand-in for NVIDIA's libcuda.so.1, for machines without a GPU: so much of it as creates an empty context on each
 * device of CUDA_VISIBLE_DEVICES, which has to be a list of UUIDs. A context shows as a process on the GPU: a line
 * "uuid,pid,name,MiB,C" in contexts.csv of the folder $BERTH_STAND_IN_STATE. It stays there when the process ends; anyone who
 * reads the file passes over processes that are not there any more.
 *
 * Build: cc -shared -fPIC -o libcuda.so.1 libcuda.c
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* cuda.h */
enum { SUCCESS = 0, INVALID_VALUE = 1, NOT_INITIALIZED = 3, NO_DEVICE = 100, INVALID_DEVICE = 101, OPERATING_SYSTEM = 304 };

static const char HEADER[] = "gpu_uuid,pid,process_name,used_memory,type\n";
static int initialised;

static int count_devices(void) {
    const char *list = getenv("CUDA_VISIBLE_DEVICES");
    int count = list != NULL && *list != '\0';
    for (; list != NULL && *list != '\0'; list++) {
        count += *list == ',';
    }
    return count;
}

int cuInit(unsigned int flags) {
    if (flags != 0) {
        return INVALID_VALUE;
    }
    if (count_devices() == 0) {
        return NO_DEVICE;
    }
    initialised = 1;
    return SUCCESS;
}

int cuDeviceGetCount(int *count) {
    *count = count_devices();
    return initialised ? SUCCESS : NOT_INITIALIZED;
}

int cuDeviceGet(int *device, int ordinal) {
    if (!initialised) {
        return NOT_INITIALIZED;
    }
    *device = ordinal;
    return ordinal >= 0 && ordinal < count_devices() ? SUCCESS : INVALID_DEVICE;
}

int cuCtxCreate_v2(void **context, unsigned int flags, int device) {
    char path[4096], line[256];
    const char *state = getenv("BERTH_STAND_IN_STATE"), *uuid = getenv("CUDA_VISIBLE_DEVICES");
    (void) flags;
    if (!initialised || state == NULL || device < 0 || device >= count_devices()) {
        return NOT_INITIALIZED;
    }
    for (; device > 0; device--) {
        uuid = strchr(uuid, ',') + 1;
    }
    snprintf(path, sizeof path, "%s/contexts.csv", state);
    snprintf(line, sizeof line, "%.*s,%ld,python3,300,C\n", (int) strcspn(uuid, ","), uuid, (long) getpid());
    int new = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (new >= 0) {
        if (write(new, HEADER, sizeof HEADER - 1) < 0) {
            return OPERATING_SYSTEM;
        }
        close(new);
    }
    int file = open(path, O_WRONLY | O_APPEND);
    if (file < 0 || write(file, line, strlen(line)) != (ssize_t) strlen(line)) {
        return OPERATING_SYSTEM;
    }
    close(file);
    *context = context;
    return SUCCESS;
}
