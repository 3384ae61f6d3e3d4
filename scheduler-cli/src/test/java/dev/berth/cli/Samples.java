package dev.berth.cli;

import dev.berth.core.api.Explanation;
import dev.berth.core.api.GitView;
import dev.berth.core.api.GpuView;
import dev.berth.core.api.JobEventView;
import dev.berth.core.api.JobView;
import dev.berth.core.api.MachineUsageView;
import dev.berth.core.api.OptionValues;
import dev.berth.core.api.ServerView;
import dev.berth.core.api.TasksView;
import dev.berth.core.api.TrackingView.ProgressView;
import dev.berth.core.api.UsageView;
import dev.berth.core.api.WarningView;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Records as a server would send them. */
public final class Samples {
    /** When the tests take place. */
    public static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");

    private Samples() {}

    public static JobView queued(long id, long position) {
        return job(
                id, "QUEUED", "BEHIND_HEAD", "one job is ahead of it; job 16 is first and waits for 2 GPUs", position);
    }

    public static JobView running(long id) {
        return running(id, List.of("main.py", "--lr", "0.1", "a b"), List.of("EPOCHS", "WANDB_API_KEY"));
    }

    /** The same job in a list, where its program does not stand. */
    public static JobView inList(long id) {
        return running(id, null, null);
    }

    /** One whose program tells how far it is. */
    public static JobView telling(long id, ProgressView progress) {
        return running(id, List.of("main.py"), List.of(), progress);
    }

    private static JobView running(long id, @Nullable List<String> command, @Nullable List<String> environment) {
        return running(id, command, environment, null);
    }

    private static JobView running(
            long id,
            @Nullable List<String> command,
            @Nullable List<String> environment,
            @Nullable ProgressView progress) {
        return new JobView(
                id,
                "RUNNING",
                null,
                "its program runs",
                null,
                "alice",
                command,
                "ab".repeat(32),
                2,
                List.of("GPU-aaaa", "GPU-bbbb"),
                List.of("0", "2"),
                1,
                null,
                null,
                environment,
                null,
                null,
                null,
                "/var/lib/berth/output/" + id,
                "2026-03-01T09:00:00.123456Z",
                "2026-03-01T09:30:00Z",
                null,
                1_800L,
                progress,
                new GitView("c0ffee".repeat(6) + "abcd", "main", true, "ef".repeat(32)),
                2 * 1000,
                false,
                List.of(),
                List.of(),
                null,
                null,
                Long.toString(id),
                null,
                null,
                null,
                null,
                null,
                null,
                List.of(),
                null,
                null,
                null,
                options("train", 5_400L));
    }

    /**
     * An array that was asked for so, such as "0-31%4".
     *
     * @param waiting those of its tasks that have had no turn
     */
    public static JobView array(
            long id,
            String state,
            @Nullable String reason,
            String asked,
            String waiting,
            Map<String, Long> states,
            String sentence) {
        boolean isOver = !List.of("QUEUED", "HELD", "RUNNING").contains(state);
        return new JobView(
                id,
                state,
                reason,
                sentence,
                null,
                "alice",
                List.of("main.py"),
                "ab".repeat(32),
                1,
                List.of(),
                List.of(),
                0,
                null,
                state.equals("QUEUED") ? 2L : null,
                List.of(),
                null,
                null,
                null,
                "/var/lib/berth/output/" + id,
                "2026-03-01T09:00:00Z",
                null,
                isOver ? "2026-03-01T09:45:30Z" : null,
                null,
                null,
                null,
                1 * 1000,
                false,
                List.of(),
                List.of(),
                null,
                null,
                Long.toString(id),
                null,
                null,
                null,
                new TasksView(
                        states.values().stream().mapToLong(Long::longValue).sum(),
                        isOver ? "" : waiting,
                        new TreeMap<>(states),
                        isOver ? waiting : "",
                        isOver && !waiting.isEmpty() ? state : null),
                null,
                null,
                List.of(),
                null,
                null,
                null,
                options("train", null, asked));
    }

    /** Array 42, of whose 32 tasks 5 are over, 4 run, and the others wait. */
    public static JobView array() {
        return array(
                42,
                "QUEUED",
                "ARRAY_THROTTLE",
                "0-31%4",
                "9-31",
                Map.of("RUNNING", 4L, "COMPLETED", 4L, "FAILED", 1L, "QUEUED", 23L),
                "4 of its tasks run, as many as it may have at a time");
    }

    /** A task of array 42. */
    public static JobView task(long id, int index, String state) {
        return task(id, index, state, null);
    }

    /** Such a task of a sweep. */
    public static JobView sweepTask(long id, int index, String state) {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("lr", "0.1");
        parameters.put("seed", "3");
        return task(id, index, state, parameters);
    }

    private static JobView task(long id, int index, String state, @Nullable Map<String, String> parameters) {
        JobView job = job(id, state, null, "its program runs", null);
        return new JobView(
                job.id(),
                job.state(),
                job.reason(),
                job.sentence(),
                job.details(),
                job.user(),
                job.command(),
                job.snapshot(),
                job.gpus(),
                job.gpuUuids(),
                job.gpuIndices(),
                1,
                job.exitCode(),
                job.position(),
                job.environment(),
                job.resubmitOf(),
                job.latestStart(),
                job.expectedStart(),
                job.outputDirectory(),
                job.submittedAt(),
                "2026-03-01T09:58:30Z",
                job.endedAt(),
                job.ranSeconds(),
                job.progress(),
                job.git(),
                job.gpuMilli(),
                job.host(),
                job.cpus(),
                job.warnings(),
                job.usage(),
                job.machineUsage(),
                "42_" + index,
                42L,
                index,
                null,
                null,
                job.sweep(),
                parameters,
                List.of(),
                null,
                null,
                null,
                job.options());
    }

    /** The same job in packs of 8 tasks, of which 2 run at the same time; a task in this one. */
    public static JobView packed(JobView job, @Nullable String pack) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>(job.options().values());
        values.put("pack", 8);
        values.put("parallel", 2);
        return with(job, List.of(), null, null, pack, null, job.target(), new OptionValues(values));
    }

    /** The same job, which has used its GPUs, and left them idle for a while. */
    public static JobView used(JobView job) {
        List<WarningView> warnings = List.of(
                new WarningView("GPU_CONFLICT", "process 4711 came", "2026-03-01T09:31:00Z", "2026-03-01T09:32:00Z"),
                new WarningView(
                        "GPU_IDLE",
                        "its GPUs 0, 2 are idle since 2026-03-01T09:40:00Z",
                        "2026-03-01T09:40:00Z",
                        job.endedAt()));
        UsageView usage = new UsageView(3_600, 48, 11_848L, 1_200L, 899_000L, 600, Arrays.asList(90, null, 0, 100));
        MachineUsageView machine = new MachineUsageView(
                1_700,
                1_838,
                3_174,
                10,
                Arrays.asList(500, null, 2_500, 5_000),
                Arrays.asList(900, 1_000, 3_174, null));
        return with(job, warnings, usage, machine, job.packNumber(), null, job.target(), job.options());
    }

    /** The same job with what it told, as a list shows it. */
    public static JobView withValues(JobView job, Map<String, String> values) {
        return with(
                job,
                job.warnings(),
                job.usage(),
                job.machineUsage(),
                job.packNumber(),
                values,
                job.target(),
                job.options());
    }

    /** The same job at a target, where nobody has looked at its GPUs. */
    public static JobView atTarget(JobView job) {
        UsageView usage = new UsageView(3_600, null, null, null, null, 600, List.of());
        return with(job, List.of(), usage, job.machineUsage(), null, null, "cluster", job.options());
    }

    private static JobView with(
            JobView job,
            List<WarningView> warnings,
            @Nullable UsageView usage,
            @Nullable MachineUsageView machine,
            @Nullable String pack,
            @Nullable Map<String, String> values,
            @Nullable String target,
            OptionValues options) {
        return new JobView(
                job.id(),
                job.state(),
                job.reason(),
                job.sentence(),
                job.details(),
                job.user(),
                job.command(),
                job.snapshot(),
                job.gpus(),
                job.gpuUuids(),
                job.gpuIndices(),
                job.attempt(),
                job.exitCode(),
                job.position(),
                job.environment(),
                job.resubmitOf(),
                job.latestStart(),
                job.expectedStart(),
                job.outputDirectory(),
                job.submittedAt(),
                job.startedAt(),
                job.endedAt(),
                job.ranSeconds(),
                job.progress(),
                job.git(),
                job.gpuMilli(),
                job.host(),
                job.cpus(),
                warnings,
                usage,
                machine,
                job.number(),
                job.arrayId(),
                job.taskIndex(),
                pack,
                job.tasks(),
                job.sweep(),
                job.parameters(),
                List.of(),
                values,
                target,
                target == null ? null : "Slurm",
                options);
    }

    public static JobView ended(long id, String state, @Nullable Integer exitCode) {
        return new JobView(
                id,
                state,
                "EXITED_NONZERO",
                "the program ended with code " + exitCode,
                null,
                "alice",
                List.of("main.py"),
                "ab".repeat(32),
                1,
                List.of(),
                List.of(),
                1,
                exitCode,
                null,
                List.of(),
                null,
                null,
                null,
                "/var/lib/berth/output/" + id,
                "2026-03-01T09:00:00Z",
                "2026-03-01T09:30:00Z",
                "2026-03-01T09:45:30Z",
                931L,
                null,
                null,
                1 * 1000,
                false,
                List.of(),
                List.of(),
                null,
                null,
                Long.toString(id),
                null,
                null,
                null,
                null,
                null,
                null,
                List.of(),
                null,
                null,
                null,
                options("train", null));
    }

    public static JobView job(
            long id, String state, @Nullable String reason, String sentence, @Nullable Long position) {
        return new JobView(
                id,
                state,
                reason,
                sentence,
                null,
                "bob",
                List.of("python3", "-m", "eval"),
                "cd".repeat(32),
                1,
                List.of(),
                List.of(),
                0,
                null,
                position,
                List.of(),
                null,
                null,
                null,
                "/var/lib/berth/output/" + id,
                "2026-03-01T09:58:00Z",
                null,
                state.equals("CANCELLED") ? "2026-03-01T09:59:00Z" : null,
                null,
                null,
                null,
                1 * 1000,
                false,
                List.of(),
                List.of(),
                null,
                null,
                Long.toString(id),
                null,
                null,
                null,
                null,
                null,
                null,
                List.of(),
                null,
                null,
                null,
                options("eval", null));
    }

    /** The first of the queue, once more what job 9 was, with a known start. */
    public static JobView first(long id) {
        return new JobView(
                id,
                "QUEUED",
                "AT_HEAD_WAITING_FOR_GPUS",
                "first in the queue; waits for 1 GPU: 0 of 2 free, job 16 has 2",
                null,
                "bob",
                List.of("python3", "-m", "eval"),
                "cd".repeat(32),
                1,
                List.of(),
                List.of(),
                0,
                null,
                1L,
                List.of(),
                9L,
                "2026-03-01T15:04:00Z",
                null,
                "/var/lib/berth/output/" + id,
                "2026-03-01T09:58:00Z",
                null,
                null,
                null,
                null,
                null,
                1 * 1000,
                false,
                List.of(),
                List.of(),
                null,
                null,
                Long.toString(id),
                null,
                null,
                null,
                null,
                null,
                null,
                List.of(),
                null,
                null,
                null,
                options("eval", null));
    }

    /** Those of a job that asked for nothing special. */
    private static OptionValues options(String name, @Nullable Long timeLimitSeconds) {
        return options(name, timeLimitSeconds, null);
    }

    private static OptionValues options(String name, @Nullable Long timeLimitSeconds, @Nullable String array) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        values.put("name", name);
        values.put("project", "demo");
        values.put("tags", List.of("sweep"));
        values.put("image", "berth/job:latest");
        values.put("pull", "missing");
        values.put("volumes", List.of());
        values.put("memoryBytes", null);
        values.put("timeLimitSeconds", timeLimitSeconds);
        values.put("network", "bridge");
        values.put("requeue", false);
        values.put("array", array);
        return new OptionValues(values);
    }

    public static Explanation explanation(long id, String state, @Nullable String reason, String sentence) {
        return new Explanation(
                id,
                state,
                reason,
                sentence,
                "2026-03-01T09:58:00Z",
                null,
                null,
                null,
                List.of(),
                List.of(),
                null,
                List.of(),
                Long.toString(id));
    }

    public static JobEventView event(long sequence, long job, @Nullable String from, String to) {
        return new JobEventView(
                sequence,
                job,
                "2026-03-01T09:30:00Z",
                "SomethingHappened",
                from,
                to,
                1,
                null,
                null,
                Long.toString(job));
    }

    public static ServerView server() {
        return server(1L << 30);
    }

    /** One that lets so much of a directory in. */
    public static ServerView server(long snapshotMaxBytes) {
        return server(snapshotMaxBytes, null, null);
    }

    /** The same server, paused. */
    public static ServerView paused() {
        return server(1L << 30, null, new ServerView.Pause("root", "2026-03-01T09:55:00Z"));
    }

    /** The same server, whose engine is away. */
    public static ServerView withoutEngine() {
        return server(
                1L << 30,
                new ServerView.EngineOutage(
                        "2026-03-01T09:55:00Z", "no Docker Engine answers at unix:///var/run/docker.sock"),
                null);
    }

    /** The same server, whose backups fail. */
    public static ServerView withoutBackups() {
        return server(
                1L << 30,
                null,
                null,
                List.of(new ServerView.FailingTask(
                        "daily backup",
                        "2026-03-01T09:00:00Z",
                        4,
                        "the database was not backed up: no space is left",
                        "2026-03-01T10:20:00Z")));
    }

    private static ServerView server(
            long snapshotMaxBytes, ServerView.@Nullable EngineOutage outage, ServerView.@Nullable Pause paused) {
        return server(snapshotMaxBytes, outage, paused, List.of());
    }

    private static ServerView server(
            long snapshotMaxBytes,
            ServerView.@Nullable EngineOutage outage,
            ServerView.@Nullable Pause paused,
            List<ServerView.FailingTask> failing) {
        return server(snapshotMaxBytes, outage, paused, failing, 1);
    }

    /** A server with so many running jobs. */
    public static ServerView busyServer(long running) {
        return server(1L << 30, null, null, List.of(), running);
    }

    private static ServerView server(
            long snapshotMaxBytes,
            ServerView.@Nullable EngineOutage outage,
            ServerView.@Nullable Pause paused,
            List<ServerView.FailingTask> failing,
            long running) {
        return new ServerView(
                "0.1.0",
                4711,
                "/var/lib/berth/berth.sock",
                "http://127.0.0.1:5555",
                "/var/lib/berth",
                "2026-02-28T06:00:00Z",
                2,
                1,
                "berth/job:latest",
                "Docker Engine 20.10.24",
                false,
                "570.124.06",
                "12.8",
                "by the runtime nvidia",
                List.of(
                        new GpuView(
                                "0",
                                "GPU-aaaa",
                                "NVIDIA A100",
                                81_559,
                                List.of(new GpuView.Holder(17, "alice", 1000, null, "17")),
                                1,
                                List.of(),
                                null,
                                null,
                                null,
                                null,
                                null,
                                List.of()),
                        new GpuView(
                                "2",
                                "GPU-bbbb",
                                "NVIDIA A100",
                                81_920,
                                List.of(),
                                1,
                                List.of(),
                                null,
                                null,
                                null,
                                null,
                                null,
                                List.of())),
                List.of(
                        new ServerView.StateCount("QUEUED", 3),
                        new ServerView.StateCount("RUNNING", running),
                        new ServerView.StateCount("FAILED", 0)),
                outage,
                paused,
                100_000,
                snapshotMaxBytes,
                List.of("CUDA_VISIBLE_DEVICES names GPU 7, which is not there"),
                failing);
    }
}
