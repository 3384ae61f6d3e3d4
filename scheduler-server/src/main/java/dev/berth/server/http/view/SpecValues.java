package dev.berth.server.http.view;

import dev.berth.core.api.OptionValues;
import dev.berth.core.job.Dependency;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Mount;
import dev.berth.core.job.Packing;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.Place.OnHost;
import dev.berth.core.job.RetryDelay;
import dev.berth.core.job.TrackSources;
import dev.berth.core.option.Forms;
import dev.berth.core.option.JobOption;
import dev.berth.server.notify.NotifyRules;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The values of a job's options, as the API shows them. */
public final class SpecValues {
    /** Options that are shown of a job's GPUs and of its program, are part of its command, or are another's. */
    private static final Set<JobOption> ELSEWHERE = EnumSet.of(
            JobOption.GPUS,
            JobOption.ENVIRONMENT,
            JobOption.ENVIRONMENT_FILES,
            JobOption.ENTRYPOINT,
            JobOption.AFTER,
            JobOption.REPEAT,
            JobOption.SWEEP,
            JobOption.ZIP,
            JobOption.SAMPLE,
            JobOption.SEED);

    private SpecValues() {}

    /** Whether an option is one of those that a job's {@link OptionValues} have. */
    public static boolean isShown(JobOption option) {
        return !ELSEWHERE.contains(option);
    }

    /** The values for those who may see all of them. */
    public static OptionValues of(JobSpec spec) {
        return of(spec, true);
    }

    /**
     * The values of a job.
     *
     * @param isPrivy whether who asks may see what is private in it
     */
    public static OptionValues of(JobSpec spec, boolean isPrivy) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        for (JobOption option : JobOption.values()) {
            if (isShown(option)) {
                boolean isHidden = option == JobOption.NOTIFY && !isPrivy;
                values.put(option.field(), isHidden ? HiddenReceivers.wishes(spec) : value(option, spec));
            }
        }
        return new OptionValues(values);
    }

    /** As the API writes it: a text, a number, a flag or a list of texts; null for none. */
    public static @Nullable Object value(JobOption option, JobSpec spec) {
        return switch (option) {
            case GPUS, ENVIRONMENT, ENVIRONMENT_FILES, ENTRYPOINT, AFTER, REPEAT, SWEEP, ZIP, SAMPLE, SEED -> null;
            case GPU_MEMORY -> spec.resources().traits().memoryBytes();
            case GPU_TYPE -> spec.resources().traits().type();
            case GPU_LABELS -> spec.resources().traits().labels();
            case NAME -> spec.name();
            case PROJECT -> spec.project();
            case TAGS -> spec.label().tags();
            case PROFILE -> spec.label().profile();
            case IMAGE -> spec.image();
            case PULL -> spec.isAtTarget() ? null : spec.place().pull().word();
            case VOLUMES -> {
                List<Mount> mounts = container(spec, InContainer::mounts);
                yield mounts == null
                        ? List.of()
                        : mounts.stream().map(Mount::toString).toList();
            }
            case WORKING_DIRECTORY -> container(spec, InContainer::workingDirectory);
            case CPUS -> spec.resources().cpuMilli();
            case CPU_GUARANTEE -> spec.resources().guarantee().cpuMilli();
            case MEMORY_GUARANTEE -> spec.resources().guarantee().memoryBytes();
            case NICE -> spec.resources().nice() == 0 ? null : spec.resources().nice();
            case MEMORY -> spec.resources().memoryBytes();
            case SHM -> container(spec, InContainer::shmBytes);
            case TIME -> seconds(spec.limits().time());
            case IDLE -> seconds(spec.limits().idle());
            case SIGNAL ->
                spec.limits().signal() == null ? null : spec.limits().signal().toString();
            case GRACE -> seconds(spec.limits().grace());
            case NETWORK ->
                spec.isAtTarget()
                        ? null
                        : spec.isHost() ? OnHost.HOST : spec.container().network();
            case REQUEUE -> spec.requeue();
            case RETRIES -> spec.retry().most() == 0 ? null : spec.retry().most();
            case RETRY_ON ->
                spec.retry().most() == 0 ? List.of() : spec.retry().causes().words();
            case RETRY_DELAY ->
                spec.retry().delay().equals(RetryDelay.NONE)
                        ? null
                        : spec.retry().delay().toString();
            case RETRY_PLACE -> spec.retry().atEnd() ? Forms.RETRY_END : null;
            case TRACK ->
                spec.sources().equals(spec.needsNoImage() ? TrackSources.NONE : TrackSources.USUAL)
                        ? List.of()
                        : spec.sources().words();
            case DEPENDENCY ->
                spec.prerequisites().dependencies().stream()
                        .map(Dependency::toString)
                        .toList();
            case KEEP_WAITING -> spec.prerequisites().keepWaiting();
            case BEGIN -> {
                Instant begin = spec.prerequisites().begin();
                yield begin == null ? null : JobViews.text(begin);
            }
            case ARRAY -> spec.tasks() == null ? null : spec.tasks().toString();
            case PACK -> packing(spec, Packing::size);
            case PARALLEL -> packing(spec, Packing::parallel);
            case NOTIFY -> spec.notifications().stream().map(NotifyRules::shown).toList();
            case NO_WAIT -> spec.isNowOrNever();
        };
    }

    private static <T> @Nullable T container(JobSpec spec, Function<InContainer, @Nullable T> value) {
        return spec.isHost() ? null : value.apply(spec.container());
    }

    private static @Nullable Integer packing(JobSpec spec, Function<Packing, Integer> value) {
        return spec.tasks() == null || spec.tasks().packing() == null
                ? null
                : value.apply(spec.tasks().packing());
    }

    private static @Nullable Long seconds(@Nullable Duration time) {
        return time == null ? null : Long.valueOf(time.toSeconds());
    }
}
