package dev.berth.cli.json;

import dev.berth.core.api.ApiError;
import dev.berth.core.api.AttemptView;
import dev.berth.core.api.DeletedJob;
import dev.berth.core.api.Explanation;
import dev.berth.core.api.GitView;
import dev.berth.core.api.GpuHistoryView;
import dev.berth.core.api.GpuList;
import dev.berth.core.api.GpuView;
import dev.berth.core.api.JobEventView;
import dev.berth.core.api.JobList;
import dev.berth.core.api.JobView;
import dev.berth.core.api.MachineUsageView;
import dev.berth.core.api.OptionValues;
import dev.berth.core.api.OverviewView;
import dev.berth.core.api.ServerView;
import dev.berth.core.api.SnapshotView;
import dev.berth.core.api.SubmitPlan;
import dev.berth.core.api.TasksView;
import dev.berth.core.api.UsageView;
import dev.berth.core.api.WarningView;

/** The API's records out of JSON objects, field by field: a new component does not compile until it is read here. */
public final class Views {
    private Views() {}

    public static JobView job(JsonObject json) {
        return new JobView(
                json.number("id"),
                json.text("state"),
                json.textOrNull("reason"),
                json.text("sentence"),
                json.textOrNull("details"),
                json.text("user"),
                json.textsOrNull("command"),
                json.text("snapshot"),
                json.count("gpus"),
                json.texts("gpuUuids"),
                json.texts("gpuIndices"),
                json.count("attempt"),
                json.countOrNull("exitCode"),
                json.numberOrNull("position"),
                json.textsOrNull("environment"),
                json.numberOrNull("resubmitOf"),
                json.textOrNull("latestStart"),
                json.textOrNull("expectedStart"),
                json.text("outputDirectory"),
                json.text("submittedAt"),
                json.textOrNull("startedAt"),
                json.textOrNull("endedAt"),
                json.numberOrNull("ranSeconds"),
                json.objectOrNull("progress", TrackingViews::progress),
                json.objectOrNull("git", Views::git),
                json.count("gpuMilli"),
                json.flag("host"),
                json.counts("cpus"),
                json.objects("warnings", Views::warning),
                json.objectOrNull("usage", Views::usage),
                json.objectOrNull("machineUsage", Views::machineUsage),
                number(json, "id"),
                json.numberOrNull("arrayId"),
                json.countOrNull("taskIndex"),
                json.textOrNull("packNumber"),
                json.objectOrNull("tasks", Views::tasks),
                json.textsOrNull("sweep"),
                json.objectOrNull("parameters", JsonObject::textsByName),
                json.objects("earlierAttempts", Views::attempt),
                json.objectOrNull("values", JsonObject::textsByName),
                json.textOrNull("target"),
                json.textOrNull("targetKind"),
                new OptionValues(json.rest()));
    }

    /** What people call a job; an earlier server knows no other word for it than its id. */
    private static String number(JsonObject json, String id) {
        return number(json, "number", id);
    }

    private static String number(JsonObject json, String field, String id) {
        String number = json.textOrNull(field);
        return number == null ? Long.toString(json.number(id)) : number;
    }

    private static TasksView tasks(JsonObject json) {
        return new TasksView(
                json.number("count"),
                json.text("waiting"),
                json.object("states").numbers(),
                json.text("unstarted"),
                json.textOrNull("unstartedState"));
    }

    private static UsageView usage(JsonObject json) {
        return new UsageView(
                json.number("gpuSeconds"),
                json.countOrNull("meanUtilisationPercent"),
                json.numberOrNull("peakMemoryMiB"),
                json.numberOrNull("idleSeconds"),
                json.numberOrNull("energyJoules"),
                json.number("stepSeconds"),
                json.countsOrNull("utilisation"));
    }

    private static MachineUsageView machineUsage(JsonObject json) {
        return new MachineUsageView(
                json.number("cpuSeconds"),
                json.count("meanCpuMilli"),
                json.number("peakMemoryMiB"),
                json.number("stepSeconds"),
                json.countsOrNull("cpuMilli"),
                json.countsOrNull("memoryMiB"));
    }

    public static GpuHistoryView history(JsonObject json) {
        return new GpuHistoryView(
                json.text("uuid"),
                json.text("resolution"),
                json.text("start"),
                json.count("stepSeconds"),
                json.countsOrNull("utilisationPercent"),
                json.countsOrNull("memoryUsedMiB"),
                json.countsOrNull("temperatureCelsius"),
                json.countsOrNull("powerWatts"));
    }

    private static WarningView warning(JsonObject json) {
        return new WarningView(json.text("code"), json.text("sentence"), json.text("since"), json.textOrNull("until"));
    }

    private static AttemptView attempt(JsonObject json) {
        return new AttemptView(
                json.count("attempt"),
                json.text("state"),
                json.text("reason"),
                json.text("sentence"),
                json.countOrNull("exitCode"),
                json.flag("retried"),
                json.texts("gpuUuids"),
                json.texts("gpuIndices"),
                json.textOrNull("packNumber"),
                json.textOrNull("startedAt"),
                json.text("endedAt"),
                json.number("ranSeconds"));
    }

    private static GitView git(JsonObject json) {
        return new GitView(json.text("commit"), json.textOrNull("branch"), json.flag("dirty"), json.textOrNull("diff"));
    }

    public static JobList jobs(JsonObject json) {
        return new JobList(json.objects("jobs", Views::job), json.numberOrNull("next"));
    }

    public static JobEventView event(JsonObject json) {
        return new JobEventView(
                json.number("sequence"),
                json.number("job"),
                json.text("at"),
                json.text("event"),
                json.textOrNull("from"),
                json.text("to"),
                json.count("attempt"),
                json.textOrNull("sentence"),
                json.textOrNull("details"),
                number(json, "job"));
    }

    public static OverviewView overview(JsonObject json) {
        return new OverviewView(
                json.object("server").as(Views::server),
                json.objects("history", Views::history),
                json.object("jobs").as(Views::jobs));
    }

    public static Explanation explanation(JsonObject json) {
        return new Explanation(
                json.number("id"),
                json.text("state"),
                json.textOrNull("reason"),
                json.text("sentence"),
                json.text("since"),
                json.numberOrNull("position"),
                json.textOrNull("latestStart"),
                json.textOrNull("expectedStart"),
                json.objects("ahead", Views::ahead),
                json.objects("holders", Views::holding),
                json.textOrNull("help"),
                json.objects("warnings", Views::warning),
                number(json, "id"));
    }

    private static Explanation.Ahead ahead(JsonObject json) {
        return new Explanation.Ahead(
                json.number("job"),
                json.textOrNull("user"),
                json.count("gpus"),
                json.count("gpuMilli"),
                number(json, "job"));
    }

    private static Explanation.Holder holding(JsonObject json) {
        return new Explanation.Holder(
                json.number("job"),
                json.textOrNull("user"),
                json.count("gpus"),
                json.count("gpuMilli"),
                json.textOrNull("since"),
                json.textOrNull("until"),
                json.textOrNull("expectedEnd"),
                number(json, "job"));
    }

    public static GpuList gpus(JsonObject json) {
        return new GpuList(json.objects("gpus", Views::gpu), json.flag("simulated"));
    }

    public static GpuView gpu(JsonObject json) {
        return new GpuView(
                json.text("index"),
                json.text("uuid"),
                json.text("name"),
                json.number("memoryMiB"),
                json.objects("holders", Views::holder),
                json.count("shares"),
                json.texts("labels"),
                json.objectOrNull("drain", Views::drain),
                json.textOrNull("obstacle"),
                json.numberOrNull("cleaning"),
                json.numberOrNull("cleaning") == null ? null : number(json, "cleaningNumber", "cleaning"),
                json.objectOrNull("reading", Views::reading),
                json.objects("processes", Views::occupant));
    }

    private static GpuView.Holder holder(JsonObject json) {
        return new GpuView.Holder(
                json.number("job"),
                json.text("user"),
                json.count("milli"),
                json.numberOrNull("memoryMiB"),
                number(json, "job"));
    }

    private static GpuView.Drain drain(JsonObject json) {
        return new GpuView.Drain(json.text("by"), json.text("reason"), json.text("since"), json.textOrNull("details"));
    }

    private static GpuView.Reading reading(JsonObject json) {
        return new GpuView.Reading(
                json.text("at"),
                json.countOrNull("utilisationPercent"),
                json.numberOrNull("memoryUsedMiB"),
                json.countOrNull("temperatureCelsius"),
                json.countOrNull("powerWatts"));
    }

    private static GpuView.Occupant occupant(JsonObject json) {
        return new GpuView.Occupant(
                json.number("pid"),
                json.text("user"),
                json.text("command"),
                json.textOrNull("container"),
                json.numberOrNull("job"),
                json.flag("graphics"),
                json.numberOrNull("memoryMiB"),
                json.textOrNull("since"));
    }

    public static ServerView server(JsonObject json) {
        return new ServerView(
                json.text("version"),
                json.number("pid"),
                json.text("socket"),
                json.textOrNull("url"),
                json.text("dataDirectory"),
                json.text("since"),
                json.count("workers"),
                json.count("cpuWorkers"),
                json.text("image"),
                json.text("engine"),
                json.flag("simulated"),
                json.textOrNull("driver"),
                json.textOrNull("cuda"),
                json.textOrNull("gpuWay"),
                json.objects("gpus", Views::gpu),
                json.objects("jobs", Views::stateCount),
                json.objectOrNull("engineOutage", Views::engineOutage),
                json.objectOrNull("paused", Views::pause),
                json.count("snapshotMaxFiles"),
                json.number("snapshotMaxBytes"),
                json.texts("warnings"),
                json.objectsOrNone("failingTasks", Views::failingTask));
    }

    private static ServerView.FailingTask failingTask(JsonObject json) {
        return new ServerView.FailingTask(
                json.text("task"),
                json.text("since"),
                json.count("failures"),
                json.text("sentence"),
                json.text("nextTry"));
    }

    private static ServerView.EngineOutage engineOutage(JsonObject json) {
        return new ServerView.EngineOutage(json.text("since"), json.text("sentence"));
    }

    private static ServerView.Pause pause(JsonObject json) {
        return new ServerView.Pause(json.text("by"), json.text("since"));
    }

    private static ServerView.StateCount stateCount(JsonObject json) {
        return new ServerView.StateCount(json.text("state"), json.number("jobs"));
    }

    public static SnapshotView snapshot(JsonObject json) {
        return new SnapshotView(
                json.text("snapshot"), json.number("files"), json.number("bytes"), json.texts("missing"));
    }

    public static SubmitPlan plan(JsonObject json) {
        return new SubmitPlan(json.objects("settings", Views::setting), json.text("sentence"));
    }

    private static SubmitPlan.Setting setting(JsonObject json) {
        return new SubmitPlan.Setting(json.text("name"), json.text("value"), json.text("source"));
    }

    public static DeletedJob deleted(JsonObject json) {
        return new DeletedJob(json.number("id"), json.texts("remains"));
    }

    public static ApiError error(JsonObject json) {
        return new ApiError(json.text("code"), json.text("message"), json.textMap("details"));
    }
}
