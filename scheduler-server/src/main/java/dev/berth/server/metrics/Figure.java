package dev.berth.server.metrics;

import java.util.List;

/** The server's own metrics; beside them there are those of the Java runtime and the process. */
public enum Figure {
    BUILD("berth_build_info", Kind.GAUGE, "1, with the version of Berth.", "version"),
    QUEUE_JOBS("berth_queue_jobs", Kind.GAUGE, "Jobs in the queue of a lane; an array that waits is one.", "lane"),
    QUEUE_WAIT(
            "berth_queue_head_wait_seconds", Kind.GAUGE, "Time since the first job of a lane was submitted.", "lane"),
    PAUSED("berth_queue_paused", Kind.GAUGE, "1 while no job is started, as somebody paused the queue."),
    JOBS("berth_jobs", Kind.GAUGE, "Jobs that have not ended, by state.", "state"),
    ENDED("berth_jobs_ended_total", Kind.COUNTER, "Jobs that ended since the server started, by state.", "state"),
    GPUS("berth_gpus", Kind.GAUGE, "GPUs by state: free, held, drained, obstacle, cleaning.", "state"),
    GPU_DRAINED("berth_gpu_drained", Kind.GAUGE, "1 where the GPU is drained, by somebody or by Berth.", "gpu"),
    GPU_READ("berth_gpu_readable", Kind.GAUGE, "1 where the last look at the GPU was answered.", "gpu"),
    GPU_UTILISATION(
            "berth_gpu_utilisation_ratio", Kind.GAUGE, "Part of the time in which the GPU worked, 0 to 1.", "gpu"),
    GPU_MEMORY_USED("berth_gpu_memory_used_bytes", Kind.GAUGE, "Memory of the GPU that is in use.", "gpu"),
    GPU_MEMORY("berth_gpu_memory_size_bytes", Kind.GAUGE, "Memory of the GPU.", "gpu"),
    GPU_TEMPERATURE("berth_gpu_temperature_celsius", Kind.GAUGE, "Temperature of the GPU.", "gpu"),
    GPU_POWER("berth_gpu_power_watts", Kind.GAUGE, "Power that the GPU draws.", "gpu"),
    ENGINE_UP("berth_engine_up", Kind.GAUGE, "1 while the container engine answers."),
    ENGINE_OUTAGE(
            "berth_engine_outage_seconds", Kind.GAUGE, "Time since which the engine does not answer; 0 while it does."),
    ENGINE_FAILURES(
            "berth_engine_failures_total",
            Kind.COUNTER,
            "Failed tries at what jobs are owed, by kind of failure.",
            "kind"),
    ENGINE_WORK(
            "berth_engine_work_seconds",
            Kind.HISTOGRAM,
            "Time of each try at what a job is owed (CreateRun, StartRun, StopRun, ...).",
            "work"),
    LOOP_TURN("berth_loop_turn_seconds", Kind.HISTOGRAM, "Time that a batch of inputs took in the scheduling loop."),
    LOOP_BUSY("berth_loop_busy_seconds", Kind.GAUGE, "Time of the loop's turn under way; 0 between turns."),
    LOOP_WAITING("berth_loop_waiting_messages", Kind.GAUGE, "Messages that wait for the loop."),
    STORE_COMMIT("berth_store_commit_seconds", Kind.HISTOGRAM, "Time of each commit of the queue's database."),
    TRACKED_POINTS("berth_tracked_points_total", Kind.COUNTER, "Points of metrics stored since the server started."),
    FAILING_TASKS(
            "berth_background_failing_tasks",
            Kind.GAUGE,
            "Background tasks that do not succeed; berth server status names them."),
    DISK_FREE("berth_disk_free_bytes", Kind.GAUGE, "Free space on the disk of the data directory."),
    DISK_SIZE("berth_disk_size_bytes", Kind.GAUGE, "Size of the disk of the data directory."),
    REQUESTS(
            "berth_http_requests_total",
            Kind.COUNTER,
            "Requests answered, by pattern of the route; status 0: broken off.",
            "method",
            "route",
            "status"),
    REQUEST_TIME(
            "berth_http_request_seconds",
            Kind.HISTOGRAM,
            "Time to answer; what is followed (events, logs) is left out.",
            "method",
            "route");

    /** The types of Prometheus that are used. */
    public enum Kind {
        GAUGE,
        COUNTER,
        HISTOGRAM
    }

    private final String text;
    private final Kind kind;
    private final String help;
    /** A list that cannot be changed, of which its type says nothing. */
    @SuppressWarnings("ImmutableEnumChecker")
    private final List<String> labels;

    Figure(String text, Kind kind, String help, String... labels) {
        this.text = text;
        this.kind = kind;
        this.help = help;
        this.labels = List.of(labels);
    }

    /** The name in Prometheus. */
    public String text() {
        return text;
    }

    public Kind kind() {
        return kind;
    }

    public String help() {
        return help;
    }

    public List<String> labels() {
        return labels;
    }
}
