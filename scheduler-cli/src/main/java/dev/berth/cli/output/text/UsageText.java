package dev.berth.cli.output.text;

import dev.berth.core.api.JobView;
import dev.berth.core.api.MachineUsageView;
import dev.berth.core.api.TasksView;
import dev.berth.core.api.TrackingView.ProgressView;
import dev.berth.core.api.UsageView;
import dev.berth.core.api.WarningView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a job uses, and its warnings, for people. */
final class UsageText {
    private static final int CURVE_WIDTH = 60;
    private static final int SECONDS_AN_HOUR = 3_600;
    private static final long JOULES_A_WATT_HOUR = 3_600;

    private UsageText() {}

    /** As fields of a page. */
    static void fields(List<String> lines, JobView job, boolean unicode) {
        String name = "warning";
        for (WarningView warning : job.warnings()) {
            String until = warning.until();
            JobText.field(lines, name, warning.sentence() + (until == null ? "" : " (until " + Times.utc(until) + ")"));
            name = "";
        }
        UsageView usage = job.usage();
        if (usage != null) {
            JobText.field(lines, "usage", sentence(usage));
            if (!usage.utilisation().isEmpty()) {
                JobText.field(lines, "curve", Sparkline.of(usage.utilisation(), CURVE_WIDTH, unicode));
            }
        }
        MachineUsageView machine = job.machineUsage();
        if (machine != null) {
            String cores = cores(machine) + " on average, " + hours(machine) + " CPU-hours";
            JobText.field(lines, "cores used", cores + curve(machine.cpuMilli(), unicode));
            String most = ServerText.memory(machine.peakMemoryMiB());
            JobText.field(lines, "memory used", "at most " + most + curve(machine.memoryMiB(), unicode));
        }
    }

    /** Cores to two decimals. */
    private static String cores(MachineUsageView machine) {
        int hundredths = (machine.meanCpuMilli() + 5) / 10;
        return hundredths / 100 + "." + Integer.toString(100 + hundredths % 100).substring(1);
    }

    /** Behind a figure, of which the highest value is the whole height; nothing of a single value. */
    private static String curve(List<@Nullable Integer> values, boolean unicode) {
        int most = Math.max(
                1,
                values.stream()
                        .filter(Objects::nonNull)
                        .mapToInt(Integer::intValue)
                        .max()
                        .orElse(1));
        List<@Nullable Integer> percents = new ArrayList<>();
        values.forEach(value -> percents.add(value == null ? null : Integer.valueOf((int) (100L * value / most))));
        return values.size() < 2 ? "" : "  " + Sparkline.of(percents, CURVE_WIDTH, unicode);
    }

    private static String sentence(UsageView usage) {
        List<String> parts = new ArrayList<>();
        parts.add(hours(usage) + " GPU-hours");
        Integer mean = usage.meanUtilisationPercent();
        if (mean != null) {
            parts.add(mean + " % busy on average");
        }
        Long memory = usage.peakMemoryMiB();
        if (memory != null) {
            parts.add("at most " + ServerText.memory(memory));
        }
        Long idle = usage.idleSeconds();
        if (idle != null && idle > 0) {
            parts.add("idle for " + Times.inWords(Duration.ofSeconds(idle)));
        }
        Long joules = usage.energyJoules();
        long wattHours = joules == null ? 0 : (joules + JOULES_A_WATT_HOUR / 2) / JOULES_A_WATT_HOUR;
        if (wattHours > 0) {
            parts.add(wattHours + " Wh");
        }
        return String.join(", ", parts);
    }

    /** GPU-hours to two decimals. */
    static String hours(UsageView usage) {
        return hours(usage.gpuSeconds());
    }

    /** Hours of processor time to two decimals. */
    static String hours(MachineUsageView usage) {
        return hours(usage.cpuSeconds());
    }

    private static String hours(long seconds) {
        long hundredths = (seconds * 100 + SECONDS_AN_HOUR / 2) / SECONDS_AN_HOUR;
        return hundredths / 100 + "." + Long.toString(100 + hundredths % 100).substring(1);
    }

    /**
     * "96 %, 11.6 GiB, 12.50 h": busy on average, memory at most, GPU-hours. At a target nobody looks at the GPUs, and its engine
     * tells the rest: "12.50 h, 3.25 CPU-h, 11.6 GiB".
     */
    static String brief(JobView job) {
        UsageView usage = job.usage();
        if (job.target() != null) {
            return atTarget(usage, job.machineUsage());
        }
        if (usage == null) {
            return JobText.NOTHING;
        }
        Integer mean = usage.meanUtilisationPercent();
        Long memory = usage.peakMemoryMiB();
        return (mean == null ? JobText.NOTHING : mean + " %") + ", "
                + (memory == null ? JobText.NOTHING : ServerText.memory(memory)) + ", " + hours(usage) + " h";
    }

    private static String atTarget(@Nullable UsageView usage, @Nullable MachineUsageView machine) {
        List<String> parts = new ArrayList<>();
        if (usage != null) {
            parts.add(hours(usage) + " h");
        }
        if (machine != null) {
            parts.add(hours(machine) + " CPU-h");
            parts.add(ServerText.memory(machine.peakMemoryMiB()));
        }
        return parts.isEmpty() ? JobText.NOTHING : String.join(", ", parts);
    }

    /** A curve and the newest figure of it. */
    static String curve(JobView job, int width, boolean unicode) {
        UsageView usage = job.usage();
        if (usage == null || usage.utilisation().isEmpty()) {
            return JobText.NOTHING;
        }
        Integer mean = usage.meanUtilisationPercent();
        return Sparkline.of(usage.utilisation(), width, unicode) + (mean == null ? "" : " " + mean + " %");
    }

    /**
     * The sentence about where a job stands, behind what is wrong with it now; of a program that tells it, how far it is, as
     * that it runs and on which GPUs stands beside it; of an array, behind how many tasks are in
     * which state, which is all there is to say where none of them has its turn to come.
     */
    static String why(JobView job, Instant now) {
        StringBuilder text = new StringBuilder();
        for (WarningView warning : job.warnings()) {
            if (warning.until() == null) {
                text.append("! ").append(warning.sentence()).append("; ");
            }
        }
        TasksView tasks = job.tasks();
        if (tasks != null && job.endedAt() == null) {
            text.append(TasksText.counts(tasks));
            if (tasks.waiting().isEmpty()) {
                return text.toString();
            }
            text.append("; ");
        }
        ProgressView progress = job.progress();
        return text.append(progress == null ? job.sentence() : ProgressText.brief(progress, now))
                .toString();
    }
}
