/*
 * A stand-in for NVIDIA's management library, libnvidia-ml.so.1: the functions that Berth calls, answered from files
 * that a test changes while the server runs. Names, numbers and structures are those of nvml.h (API version 12).
 *
 * The files lie in $BERTH_STAND_IN_STATE, else in the folder of the library, and are read anew at each call; README.md of
 * the folder above names them all. -DOLD_DRIVER leaves out what came late, as an old driver does.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- nvml.h ------------------------------------------------------------------------------------------------------ */

enum {
    SUCCESS = 0,
    INVALID_ARGUMENT = 2,
    NOT_SUPPORTED = 3,
    NOT_FOUND = 6,
    INSUFFICIENT_SIZE = 7,
    DRIVER_NOT_LOADED = 9,
    TIMEOUT = 10,
    GPU_IS_LOST = 15,
    MISMATCH = 18,
    VERSION_MISMATCH = 25,
    UNKNOWN = 999
};

enum { EVENT_DOUBLE_BIT = 2, EVENT_XID = 8 };
enum { DEVICE_GPU = 0, DEVICE_SWITCH = 2 };
enum { MAX_NVLINKS = 18 };

typedef struct {
    char busIdLegacy[16];
    unsigned domain, bus, device, pciDeviceId, pciSubSystemId;
    char busId[32];
} PciInfo; /* nvmlPciInfo_t */

typedef struct {
    unsigned long long total, free, used;
} Memory; /* nvmlMemory_t; used includes what the driver has reserved */

typedef struct {
    unsigned version;
    unsigned long long total, reserved, free, used;
} MemoryV2; /* nvmlMemory_v2_t; used does not include it */

typedef struct {
    unsigned gpu, memory;
} Utilization; /* nvmlUtilization_t */

typedef struct {
    unsigned pid;
    unsigned long long usedGpuMemory;
    unsigned gpuInstanceId, computeInstanceId;
} ProcessInfo; /* nvmlProcessInfo_v2_t, which _v2 and _v3 fill */

typedef struct {
    struct Device *device;
    unsigned long long eventType, eventData;
    unsigned gpuInstanceId, computeInstanceId;
} EventData; /* nvmlEventData_t */

static const unsigned long long VALUE_NOT_AVAILABLE = -1ULL;

/* ---- devices ----------------------------------------------------------------------------------------------------- */

/* A handle stands for a UUID as long as the process lives. */
typedef struct Device {
    char uuid[96];
    char parent[96]; /* empty for a whole GPU */
} Device;

enum { MAX_DEVICES = 256, VALUE_BYTES = 256 };
static Device devices[MAX_DEVICES];
static int known;
static pthread_mutex_t devices_lock = PTHREAD_MUTEX_INITIALIZER;

static Device *device_of(const char *uuid, const char *parent) {
    Device *found = NULL;
    pthread_mutex_lock(&devices_lock);
    for (int i = 0; i < known && !found; i++) {
        if (!strcmp(devices[i].uuid, uuid)) found = &devices[i];
    }
    if (!found && known < MAX_DEVICES) {
        found = &devices[known++];
        snprintf(found->uuid, sizeof found->uuid, "%s", uuid);
        snprintf(found->parent, sizeof found->parent, "%s", parent);
    }
    pthread_mutex_unlock(&devices_lock);
    return found;
}

static const char *gpu_of(const Device *device) { return *device->parent ? device->parent : device->uuid; }

/* ---- files ------------------------------------------------------------------------------------------------------- */

static FILE *open_state(const char *name) {
    char path[4096];
    const char *folder = getenv("BERTH_STAND_IN_STATE");
    Dl_info here = {0};
    if (folder) {
        snprintf(path, sizeof path, "%s/%s", folder, name);
    } else {
        if (!dladdr(&known, &here) || !strchr(here.dli_fname, '/')) return NULL;
        snprintf(path, sizeof path, "%.*s/%s", (int)(strrchr(here.dli_fname, '/') - here.dli_fname), here.dli_fname, name);
    }
    return fopen(path, "re");
}

static int next_line(FILE *file, char *line, int bytes) {
    while (file && fgets(line, bytes, file)) {
        line[strcspn(line, "\r\n")] = 0;
        if (*line) return 1;
    }
    return 0;
}

/* The comma-separated field at a position. */
static int field(const char *line, int position, char *value) {
    for (; position > 0; position--) {
        line = strchr(line, ',');
        if (!line) return 0;
        line++;
    }
    snprintf(value, VALUE_BYTES, "%.*s", (int)strcspn(line, ","), line);
    return 1;
}

static int column(const char *header, const char *name) {
    char value[VALUE_BYTES];
    for (int i = 0; field(header, i, value); i++) {
        if (!strcmp(value, name)) return i;
    }
    return -1;
}

/* A table with a line of names on top. */
typedef struct {
    FILE *file;
    char header[2048], row[2048];
} Table;

static int open_table(Table *table, const char *name) {
    table->file = open_state(name);
    return next_line(table->file, table->header, sizeof table->header);
}

static int next_row(Table *table) { return next_line(table->file, table->row, sizeof table->row); }

static int get(const Table *table, const char *name, char *value) {
    int position = column(table->header, name);
    *value = 0;
    return position >= 0 && field(table->row, position, value);
}

static int is(const Table *table, const char *name, const char *wanted) {
    char value[VALUE_BYTES];
    return get(table, name, value) && !strcmp(value, wanted);
}

static void close_table(Table *table) {
    if (table->file) fclose(table->file);
}

/* What stands under a name in the line of a UUID; 0 where there is none, or a word in brackets. */
static int look_up(const char *file, const char *uuid, const char *name, char *value) {
    Table table;
    int found = 0;
    *value = 0;
    for (int more = open_table(&table, file); more && next_row(&table);) {
        if (is(&table, "uuid", uuid)) {
            found = get(&table, name, value);
            break;
        }
    }
    close_table(&table);
    return found && *value != '[';
}

static int is_there(const char *file, const char *uuid) {
    char value[VALUE_BYTES];
    return look_up(file, uuid, "uuid", value);
}

static int code_of_failure(void) {
    int code = SUCCESS;
    FILE *file = open_state("failure");
    if (file) {
        if (fscanf(file, "%d", &code) != 1) code = UNKNOWN;
        fclose(file);
    }
    return code;
}

/* ---- faults ------------------------------------------------------------------------------------------------------ */

/* The line of a file that begins with a UUID; its second word is a number, or `otherwise` where there is none. */
static int named_in(const char *name, const char *uuid, int *number, int otherwise) {
    char line[512], first[VALUE_BYTES];
    int found = 0;
    FILE *file = open_state(name);
    while (!found && next_line(file, line, sizeof line)) {
        *number = otherwise;
        found = sscanf(line, "%255s %d", first, number) >= 1 && !strcmp(first, uuid);
    }
    if (file) fclose(file);
    return found;
}

static void pause_for(long milliseconds) {
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

/* What each call on a GPU meets first: a hang, a loss, an error, or a GPU that was taken away. */
static int meet(const Device *device) {
    int number = 0, seconds = 0, unused;
    const char *gpu = device ? gpu_of(device) : NULL;
    if (!gpu) return INVALID_ARGUMENT;
    for (long waited = 0; named_in("hang", gpu, &seconds, 30) && waited < seconds * 1000L; waited += 10) pause_for(10);
    if (named_in("lost", gpu, &unused, 0)) return GPU_IS_LOST;
    if (named_in("error", gpu, &number, UNKNOWN)) return number;
    return is_there("gpus.csv", gpu) ? SUCCESS : GPU_IS_LOST;
}

#define MEET(device)                                                                                                   \
    do {                                                                                                               \
        int met = meet(device);                                                                                        \
        if (met) return met;                                                                                           \
    } while (0)

/* ---- the system -------------------------------------------------------------------------------------------------- */

int nvmlInit_v2(void) {
    /* The exit codes of nvidia-smi are the numbers of NVML's errors; that of no devices is none. */
    int code = code_of_failure();
    return code == NOT_FOUND ? SUCCESS : code;
}

int nvmlShutdown(void) { return SUCCESS; }

const char *nvmlErrorString(int code) {
    switch (code) {
        case SUCCESS: return "Success";
        case INVALID_ARGUMENT: return "Invalid Argument";
        case NOT_SUPPORTED: return "Not Supported";
        case 4: return "Insufficient Permissions";
        case NOT_FOUND: return "Not Found";
        case INSUFFICIENT_SIZE: return "Insufficient Size";
        case DRIVER_NOT_LOADED: return "Driver Not Loaded";
        case TIMEOUT: return "Timeout";
        case GPU_IS_LOST: return "GPU is lost";
        case 16: return "GPU requires reset";
        case MISMATCH: return "Driver/library version mismatch";
        case VERSION_MISMATCH: return "Argument version mismatch";
        default: return "Unknown Error";
    }
}

/* A column of the first GPU. */
static int of_first_gpu(const char *name, char *value) {
    Table table;
    int found = open_table(&table, "gpus.csv") && next_row(&table) && get(&table, name, value) && *value != '[';
    close_table(&table);
    return found;
}

static int copy(const char *value, char *into, unsigned bytes) {
    if (strlen(value) >= bytes) return INSUFFICIENT_SIZE;
    strcpy(into, value);
    return SUCCESS;
}

int nvmlSystemGetDriverVersion(char *version, unsigned bytes) {
    char value[VALUE_BYTES];
    return of_first_gpu("driver_version", value) ? copy(value, version, bytes) : NOT_SUPPORTED;
}

int nvmlSystemGetCudaDriverVersion_v2(int *version) {
    char value[VALUE_BYTES];
    int major = 12, minor = 8;
    if (of_first_gpu("cuda_version", value) && sscanf(value, "%d.%d", &major, &minor) != 2) return UNKNOWN;
    *version = major * 1000 + minor * 10;
    return SUCCESS;
}

int nvmlDeviceGetCount_v2(unsigned *count) {
    Table table;
    *count = 0;
    if (code_of_failure()) return SUCCESS;
    for (int more = open_table(&table, "gpus.csv"); more && next_row(&table);) ++*count;
    close_table(&table);
    return SUCCESS;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, Device **device) {
    Table table;
    char uuid[VALUE_BYTES] = "";
    unsigned at = 0;
    for (int more = open_table(&table, "gpus.csv"); more && next_row(&table); at++) {
        if (at == index && get(&table, "uuid", uuid)) break;
    }
    close_table(&table);
    if (!*uuid) return INVALID_ARGUMENT;
    *device = device_of(uuid, "");
    return meet(*device);
}

/* ---- what a device is -------------------------------------------------------------------------------------------- */

static const char *file_of(const Device *device) { return *device->parent ? "mig.csv" : "gpus.csv"; }

int nvmlDeviceGetUUID(Device *device, char *uuid, unsigned bytes) {
    MEET(device);
    return copy(device->uuid, uuid, bytes);
}

int nvmlDeviceGetName(Device *device, char *name, unsigned bytes) {
    char gpu[VALUE_BYTES], profile[VALUE_BYTES], whole[2 * VALUE_BYTES + 8];
    MEET(device);
    if (!look_up("gpus.csv", gpu_of(device), "name", gpu)) return NOT_SUPPORTED;
    snprintf(whole, sizeof whole, "%s", gpu);
    if (*device->parent && look_up("mig.csv", device->uuid, "profile", profile)) {
        snprintf(whole, sizeof whole, "%s MIG %s", gpu, profile);
    }
    return copy(whole, name, bytes);
}

int nvmlDeviceGetPciInfo_v3(Device *device, PciInfo *pci) {
    char value[VALUE_BYTES];
    MEET(device);
    memset(pci, 0, sizeof *pci);
    if (!look_up("gpus.csv", gpu_of(device), "pci.bus_id", value)) return NOT_SUPPORTED;
    if (sscanf(value, "%x:%x:%x", &pci->domain, &pci->bus, &pci->device) != 3) return UNKNOWN;
    snprintf(pci->busId, sizeof pci->busId, "%.31s", value);
    snprintf(pci->busIdLegacy, sizeof pci->busIdLegacy, "%.15s", value + 4);
    return SUCCESS;
}

static int number_of(Device *device, const char *file, const char *name, unsigned *number) {
    char value[VALUE_BYTES];
    MEET(device);
    if (!look_up(file, device->uuid, name, value)) return NOT_SUPPORTED;
    *number = (unsigned)strtoul(value, NULL, 10);
    return SUCCESS;
}

/* Of a GPU alone, as the real library has it. */
static int of_gpu(Device *device, const char *name, unsigned *number) {
    if (device && *device->parent) return NOT_SUPPORTED;
    return number_of(device, "gpus.csv", name, number);
}

int nvmlDeviceGetMinorNumber(Device *device, unsigned *minor) { return of_gpu(device, "minor", minor); }

int nvmlDeviceGetTemperature(Device *device, int sensor, unsigned *celsius) {
    return sensor ? INVALID_ARGUMENT : of_gpu(device, "temperature.gpu", celsius);
}

int nvmlDeviceGetPowerUsage(Device *device, unsigned *milliwatts) {
    char value[VALUE_BYTES];
    MEET(device);
    if (*device->parent || !look_up("gpus.csv", device->uuid, "power.draw", value)) return NOT_SUPPORTED;
    *milliwatts = (unsigned)(strtod(value, NULL) * 1000 + 0.5);
    return SUCCESS;
}

int nvmlDeviceGetUtilizationRates(Device *device, Utilization *rates) {
    rates->memory = 0;
    return of_gpu(device, "utilization.gpu", &rates->gpu);
}

static int memory_of(Device *device, MemoryV2 *memory) {
    unsigned total, used, reserved = 0;
    int code = number_of(device, file_of(device), "memory.total", &total);
    if (!code) code = number_of(device, file_of(device), "memory.used", &used);
    if (code) return code;
    number_of(device, file_of(device), "memory.reserved", &reserved);
    memory->total = (unsigned long long)total << 20;
    memory->reserved = (unsigned long long)reserved << 20;
    memory->used = (unsigned long long)used << 20;
    memory->free = memory->total - memory->reserved - memory->used;
    return SUCCESS;
}

int nvmlDeviceGetMemoryInfo(Device *device, Memory *memory) {
    MemoryV2 it;
    int code = memory_of(device, &it);
    if (code) return code;
    memory->total = it.total;
    memory->free = it.free;
    memory->used = it.used + it.reserved;
    return SUCCESS;
}

#ifndef OLD_DRIVER
int nvmlDeviceGetMemoryInfo_v2(Device *device, MemoryV2 *memory) {
    /* NVML_STRUCT_VERSION: the version above the size of the structure. */
    return memory->version == (2u << 24 | sizeof *memory) ? memory_of(device, memory) : VERSION_MISMATCH;
}
#endif

int nvmlDeviceGetComputeMode(Device *device, unsigned *mode) {
    char value[VALUE_BYTES];
    MEET(device);
    if (!look_up("gpus.csv", gpu_of(device), "compute_mode", value)) return NOT_SUPPORTED;
    *mode = !strcmp(value, "Prohibited") ? 2 : !strcmp(value, "Exclusive_Process") ? 3 : 0;
    return SUCCESS;
}

int nvmlDeviceGetDisplayActive(Device *device, unsigned *active) {
    char value[VALUE_BYTES];
    MEET(device);
    *active = look_up("gpus.csv", gpu_of(device), "display_active", value) && !strcmp(value, "Enabled");
    return SUCCESS;
}

/* ---- MIG --------------------------------------------------------------------------------------------------------- */

#ifndef OLD_DRIVER
int nvmlDeviceGetMigMode(Device *device, unsigned *current, unsigned *pending) {
    char value[VALUE_BYTES];
    MEET(device);
    if (!look_up("gpus.csv", device->uuid, "mig.mode.current", value)) return NOT_SUPPORTED;
    *current = *pending = !strcmp(value, "Enabled");
    return SUCCESS;
}

int nvmlDeviceGetMaxMigDeviceCount(Device *device, unsigned *count) {
    MEET(device);
    *count = 7;
    return SUCCESS;
}

int nvmlDeviceGetMigDeviceHandleByIndex(Device *device, unsigned index, Device **mig) {
    Table table;
    char uuid[VALUE_BYTES] = "";
    char wanted[VALUE_BYTES];
    MEET(device);
    snprintf(wanted, sizeof wanted, "%u", index);
    for (int more = open_table(&table, "mig.csv"); more && !*uuid && next_row(&table);) {
        if (is(&table, "parent", device->uuid) && is(&table, "index", wanted)) get(&table, "uuid", uuid);
    }
    close_table(&table);
    if (!*uuid) return NOT_FOUND;
    *mig = device_of(uuid, device->uuid);
    return SUCCESS;
}

static int instance_of(Device *device, const char *column, unsigned *id) {
    char value[VALUE_BYTES];
    MEET(device);
    if (!*device->parent) return INVALID_ARGUMENT;
    if (!look_up("mig.csv", device->uuid, column, value)) return NOT_SUPPORTED;
    *id = (unsigned)strtoul(value, NULL, 10);
    return SUCCESS;
}

int nvmlDeviceGetGpuInstanceId(Device *device, unsigned *id) { return instance_of(device, "gi", id); }

int nvmlDeviceGetComputeInstanceId(Device *device, unsigned *id) { return instance_of(device, "ci", id); }
#endif

/* ---- processes --------------------------------------------------------------------------------------------------- */

/* Whether a process is there, and no zombie: the contexts of one that has ended are gone. */
static int is_alive(const char *pid) {
    char path[64 + VALUE_BYTES], line[1024];
    snprintf(path, sizeof path, "/proc/%s/stat", pid);
    FILE *file = fopen(path, "re");
    int there = next_line(file, line, sizeof line);
    if (file) fclose(file);
    const char *name_end = there ? strrchr(line, ')') : NULL;
    return name_end && strlen(name_end) > 2 && !strchr("ZX", name_end[2]);
}

/* Adds those of a type that stand in a file; a line without a type computes. A GPU's are those of its MIG devices, too. */
static void add_processes(const char *name, int of_living, Device *device, char type, unsigned *count, unsigned room,
                          ProcessInfo *infos) {
    Table table;
    char value[VALUE_BYTES], owner[VALUE_BYTES];
    for (int more = open_table(&table, name); more && next_row(&table);) {
        get(&table, "gpu_uuid", value);
        if (strcmp(value, device->uuid)
            && !(look_up("mig.csv", value, "parent", owner) && !strcmp(owner, device->uuid))) {
            continue;
        }
        if (!get(&table, "type", value) || !*value) strcpy(value, "C");
        if (!strchr(value, type)) continue;
        get(&table, "pid", value);
        if (of_living && !is_alive(value)) continue;
        if (infos && *count < room) {
            ProcessInfo *info = &infos[*count];
            memset(info, 0xff, sizeof *info);
            info->pid = (unsigned)strtoul(value, NULL, 10);
            get(&table, "used_memory", value);
            info->usedGpuMemory = *value == '[' ? VALUE_NOT_AVAILABLE : strtoull(value, NULL, 10) << 20;
        }
        ++*count;
    }
    close_table(&table);
}

static int processes(Device *device, char type, unsigned *count, ProcessInfo *infos) {
    unsigned room = *count;
    MEET(device);
    if (named_in("no-processes", gpu_of(device), &(int){0}, 0)) return NOT_SUPPORTED;
    *count = 0;
    add_processes("apps.csv", 0, device, type, count, room, infos);
    add_processes("contexts.csv", 1, device, type, count, room, infos);
    return *count > room ? INSUFFICIENT_SIZE : SUCCESS;
}

int nvmlDeviceGetComputeRunningProcesses_v2(Device *device, unsigned *count, ProcessInfo *infos) {
    return processes(device, 'C', count, infos);
}

int nvmlDeviceGetGraphicsRunningProcesses_v2(Device *device, unsigned *count, ProcessInfo *infos) {
    return processes(device, 'G', count, infos);
}

#ifndef OLD_DRIVER
int nvmlDeviceGetComputeRunningProcesses_v3(Device *device, unsigned *count, ProcessInfo *infos) {
    return processes(device, 'C', count, infos);
}

int nvmlDeviceGetGraphicsRunningProcesses_v3(Device *device, unsigned *count, ProcessInfo *infos) {
    return processes(device, 'G', count, infos);
}

int nvmlDeviceGetMPSComputeRunningProcesses_v3(Device *device, unsigned *count, ProcessInfo *infos) {
    return processes(device, 'M', count, infos);
}
#endif

/* ---- how GPUs are joined ---------------------------------------------------------------------------------------- */

int nvmlDeviceGetTopologyCommonAncestor(Device *one, Device *other, unsigned *level) {
    static const char *const words[] = {"PIX", "PXB", "PHB", "NODE", "SYS"};
    Table table;
    char path[VALUE_BYTES] = "SYS";
    MEET(one);
    MEET(other);
    for (int more = open_table(&table, "links.csv"); more && next_row(&table);) {
        if ((is(&table, "one", one->uuid) && is(&table, "other", other->uuid))
            || (is(&table, "one", other->uuid) && is(&table, "other", one->uuid))) {
            get(&table, "path", path);
        }
    }
    close_table(&table);
    for (unsigned i = 0; i < 5; i++) {
        if (!strcmp(path, words[i])) {
            *level = (i + 1) * 10;
            return SUCCESS;
        }
    }
    return UNKNOWN;
}

/* The UUID at the other end of a link of a GPU, or "switch"; links are counted in the order of the lines. */
static int remote_end(const Device *device, unsigned link, char *remote) {
    Table table;
    char number[VALUE_BYTES];
    unsigned links = 0;
    *remote = 0;
    for (int more = open_table(&table, "links.csv"); more && !*remote && next_row(&table);) {
        int first = is(&table, "one", device->uuid);
        if (!first && !is(&table, "other", device->uuid)) continue;
        get(&table, "nvlinks", number);
        links += (unsigned)strtoul(number, NULL, 10);
        if (link < links) get(&table, first ? "other" : "one", remote);
    }
    close_table(&table);
    return *remote ? SUCCESS : links ? NOT_FOUND : NOT_SUPPORTED;
}

int nvmlDeviceGetNvLinkState(Device *device, unsigned link, unsigned *active) {
    char remote[VALUE_BYTES];
    MEET(device);
    if (link >= MAX_NVLINKS) return INVALID_ARGUMENT;
    int code = remote_end(device, link, remote);
    *active = code == SUCCESS;
    return code == NOT_FOUND ? SUCCESS : code;
}

int nvmlDeviceGetNvLinkRemotePciInfo_v2(Device *device, unsigned link, PciInfo *pci) {
    char remote[VALUE_BYTES];
    MEET(device);
    int code = remote_end(device, link, remote);
    if (code) return code;
    if (strcmp(remote, "switch")) return nvmlDeviceGetPciInfo_v3(device_of(remote, ""), pci);
    memset(pci, 0, sizeof *pci);
    pci->bus = 0xf0;
    snprintf(pci->busId, sizeof pci->busId, "00000000:F0:00.0");
    return SUCCESS;
}

#ifndef OLD_DRIVER
int nvmlDeviceGetNvLinkRemoteDeviceType(Device *device, unsigned link, unsigned *type) {
    char remote[VALUE_BYTES];
    MEET(device);
    int code = remote_end(device, link, remote);
    if (!code) *type = strcmp(remote, "switch") ? DEVICE_GPU : DEVICE_SWITCH;
    return code;
}
#endif

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* Tells the lines that come into the file `events` after its making: "UUID xid NUMBER" and "UUID double-bit". */
typedef struct {
    Device *registered[MAX_DEVICES];
    int count;
    long position;
} EventSet;

int nvmlEventSetCreate(EventSet **set) {
    *set = calloc(1, sizeof **set);
    FILE *file = open_state("events");
    if (file) {
        fseek(file, 0, SEEK_END);
        (*set)->position = ftell(file);
        fclose(file);
    }
    return SUCCESS;
}

int nvmlDeviceRegisterEvents(Device *device, unsigned long long types, EventSet *set) {
    MEET(device);
    if (named_in("no-events", device->uuid, &(int){0}, 0)) return NOT_SUPPORTED;
    if (set->count == MAX_DEVICES || !(types & (EVENT_XID | EVENT_DOUBLE_BIT))) return INVALID_ARGUMENT;
    set->registered[set->count++] = device;
    return SUCCESS;
}

static int event_of(EventSet *set, const char *line, EventData *data) {
    char uuid[VALUE_BYTES], kind[VALUE_BYTES];
    unsigned long long number = 0;
    if (sscanf(line, "%255s %255s %llu", uuid, kind, &number) < 2) return 0;
    for (int i = 0; i < set->count; i++) {
        if (!strcmp(set->registered[i]->uuid, uuid)) {
            memset(data, 0xff, sizeof *data);
            data->device = set->registered[i];
            data->eventType = strcmp(kind, "xid") ? EVENT_DOUBLE_BIT : EVENT_XID;
            data->eventData = number;
            return 1;
        }
    }
    return 0;
}

int nvmlEventSetWait_v2(EventSet *set, EventData *data, unsigned milliseconds) {
    for (long waited = 0;; waited += 10) {
        char line[512];
        int told = 0;
        FILE *file = open_state("events");
        if (file && !fseek(file, set->position, SEEK_SET)) {
            while (!told && fgets(line, sizeof line, file) && strchr(line, '\n')) {
                told = event_of(set, line, data);
                set->position = ftell(file);
            }
        }
        if (file) fclose(file);
        if (told) return SUCCESS;
        if (waited >= (long)milliseconds) return TIMEOUT;
        pause_for(10);
    }
}

int nvmlEventSetFree(EventSet *set) {
    free(set);
    return SUCCESS;
}
