package dev.berth.server.http.view;

import dev.berth.core.api.OptionValues;
import dev.berth.core.api.SubmitRequest;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Mount;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.Place.OnHost;
import dev.berth.core.option.JobOption;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The values of options, as a request has them and as the API shows those of a job. */
public final class SpecValues {
    /** Those that are shown of a job's GPUs and of its program, or are part of its command. */
    private static final Set<JobOption> ELSEWHERE =
            EnumSet.of(JobOption.GPUS, JobOption.ENVIRONMENT, JobOption.ENVIRONMENT_FILES, JobOption.ENTRYPOINT);

    private static final Map<String, RecordComponent> FIELDS = fields();

    private SpecValues() {}

    private static Map<String, RecordComponent> fields() {
        Map<String, RecordComponent> fields = new LinkedHashMap<>();
        for (RecordComponent field : SubmitRequest.class.getRecordComponents()) {
            fields.put(field.getName(), field);
        }
        return fields;
    }

    /** Whether a request says anything with an option. */
    public static boolean isGiven(JobOption option, SubmitRequest request) {
        return isGiven(option.field(), request) || (option == JobOption.GPUS && request.gpuMilli() != null);
    }

    /** Whether a request says anything in a field; a flag that is false says nothing. */
    public static boolean isGiven(String field, SubmitRequest request) {
        try {
            Object value =
                    Objects.requireNonNull(FIELDS.get(field)).getAccessor().invoke(request);
            return value != null && !value.equals(false);
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException("no access to " + field, impossible);
        }
    }

    /** Whether an option is one of those that a job's {@link OptionValues} have. */
    public static boolean isShown(JobOption option) {
        return !ELSEWHERE.contains(option);
    }

    public static OptionValues of(JobSpec spec) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        for (JobOption option : JobOption.values()) {
            if (isShown(option)) {
                values.put(option.field(), value(option, spec));
            }
        }
        return new OptionValues(values);
    }

    /** As the API writes it: a text, a number, a flag or a list of texts; null for none. */
    public static @Nullable Object value(JobOption option, JobSpec spec) {
        return switch (option) {
            case GPUS, ENVIRONMENT, ENVIRONMENT_FILES, ENTRYPOINT -> null;
            case GPU_MEMORY -> spec.resources().traits().memoryBytes();
            case GPU_TYPE -> spec.resources().traits().type();
            case GPU_LABELS -> spec.resources().traits().labels();
            case NAME -> spec.name();
            case PROJECT -> spec.project();
            case TAGS -> spec.label().tags();
            case IMAGE -> spec.image();
            case PULL -> spec.place().pull().name().toLowerCase(Locale.ROOT);
            case VOLUMES -> {
                List<Mount> mounts = container(spec, InContainer::mounts);
                yield mounts == null
                        ? List.of()
                        : mounts.stream().map(Mount::toString).toList();
            }
            case WORKING_DIRECTORY -> container(spec, InContainer::workingDirectory);
            case CPUS -> spec.resources().cpuMilli();
            case MEMORY -> spec.resources().memoryBytes();
            case SHM -> container(spec, InContainer::shmBytes);
            case TIME -> seconds(spec.limits().time());
            case IDLE -> seconds(spec.limits().idle());
            case NETWORK -> spec.isHost() ? OnHost.HOST : spec.container().network();
            case REQUEUE -> spec.requeue();
            case NO_WAIT -> spec.isNowOrNever();
        };
    }

    private static <T> @Nullable T container(JobSpec spec, Function<InContainer, @Nullable T> value) {
        return spec.place() instanceof InContainer container ? value.apply(container) : null;
    }

    private static @Nullable Long seconds(@Nullable Duration time) {
        return time == null ? null : Long.valueOf(time.toSeconds());
    }
}
