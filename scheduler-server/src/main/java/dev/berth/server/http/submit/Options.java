package dev.berth.server.http.submit;

import dev.berth.core.api.SubmitRequest;
import dev.berth.core.job.GpuTraits;
import dev.berth.core.job.JobOptions;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.PullPolicy;
import dev.berth.core.job.Submitter;
import dev.berth.server.config.ByteSize;
import dev.berth.server.config.Key;
import dev.berth.server.config.Keys;
import dev.berth.server.config.Settings;
import dev.berth.server.container.ContainerPlans;
import dev.berth.server.container.EngineFacts;
import dev.berth.server.http.ApiException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a submit says beyond its program: each checked, or filled in from the server's defaults. */
public record Options(Settings settings, EngineFacts machine, Volumes volumes) {
    private static final int MAX_TAGS = 32;
    private static final int MAX_GPU_LABELS = 32;
    private static final int MILLI = 1_000;

    /** The least that Docker takes (moby, {@code linuxMinMemory}). */
    private static final long MIN_MEMORY = 6L << 20;

    private static final String HOST_NETWORK = "host";

    /** A network's name (docker network create); none begins a namespace of another container's. */
    private static final Pattern NETWORK = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,127}");

    private static final Pattern GPU_TYPE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}");

    private static final Pattern GPU_LABEL = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

    JobOptions check(SubmitRequest request, Submitter who) {
        if (HostRequests.isHost(request)) {
            return ofHost(request);
        }
        Long memory = memory(request.memoryBytes());
        return new JobOptions(
                tags(request.tags()),
                pull(request.pull()),
                workingDirectory(request.workingDirectory()),
                cpus(request.cpuMilli()),
                memory,
                shm(request.shmBytes(), memory),
                network(Objects.requireNonNullElse(request.network(), settings.get(Keys.JOB_NETWORK))),
                volumes.check(request.volumes(), who),
                Boolean.TRUE.equals(request.requeue()),
                null,
                traits(request),
                null,
                idleTimeout(request.idleTimeoutSeconds()));
    }

    private static GpuTraits traits(SubmitRequest request) {
        Long memory = request.gpuMemoryBytes();
        if (memory != null && memory < 1) {
            throw ApiException.field("gpuMemoryBytes", memory.toString(), "must be a number of bytes above 0");
        }
        String type = request.gpuType();
        if (type != null && !GPU_TYPE.matcher(type).matches()) {
            throw ApiException.field(
                    "gpuType",
                    Labels.printable(type),
                    "must be a word or two of a GPU's name, such as a100; berth gpus shows the names");
        }
        List<String> labels = Objects.requireNonNullElse(request.gpuLabels(), List.<String>of());
        if (labels.size() > MAX_GPU_LABELS) {
            throw ApiException.field("gpuLabels", labels.size() + " labels", "must be at most " + MAX_GPU_LABELS);
        }
        for (@Nullable String label : labels) {
            if (label == null || !GPU_LABEL.matcher(label).matches()) {
                throw ApiException.field(
                        "gpuLabels",
                        Labels.printable(String.valueOf(label)),
                        "must be a word that the operator gave to GPUs (gpus.labels); berth gpus shows them");
            }
        }
        return new GpuTraits(memory, type, labels);
    }

    private static @Nullable Duration idleTimeout(@Nullable Long seconds) {
        if (seconds != null && (seconds < 1 || seconds > JobSpec.MAX_TIME_LIMIT.toSeconds())) {
            throw ApiException.field(
                    "idleTimeoutSeconds",
                    seconds.toString(),
                    "must be from 1 second to " + JobSpec.MAX_TIME_LIMIT.toSeconds() + " (ten years)");
        }
        return seconds == null ? null : Duration.ofSeconds(seconds);
    }

    /** A process of the machine takes nothing from the defaults of containers. */
    private JobOptions ofHost(SubmitRequest request) {
        return new JobOptions(
                tags(request.tags()),
                PullPolicy.NEVER,
                null,
                request.cpuMilli() == null ? null : cpus(request.cpuMilli()),
                null,
                null,
                HostRequests.HOST,
                List.of(),
                false,
                null,
                traits(request),
                HostRequests.of(request),
                idleTimeout(request.idleTimeoutSeconds()));
    }

    /** Throws where what was allowed at an earlier submit is not any more. */
    void recheck(JobOptions options, Submitter who) {
        String _ = network(options.network());
        volumes.recheck(options.mounts(), who);
    }

    private static List<String> tags(@Nullable List<String> tags) {
        if (tags == null) {
            return List.of();
        }
        if (tags.size() > MAX_TAGS) {
            throw ApiException.field("tags", tags.size() + " tags", "must be at most " + MAX_TAGS);
        }
        Set<String> seen = new HashSet<>();
        for (@Nullable String tag : tags) {
            String checked = Labels.checked("tags", tag, "");
            if (!seen.add(checked)) {
                throw ApiException.field("tags", checked, "must be given once; leave the second out");
            }
        }
        return tags;
    }

    private PullPolicy pull(@Nullable String pull) {
        if (pull == null) {
            return settings.get(Keys.PULL);
        }
        return Arrays.stream(PullPolicy.values())
                .filter(known -> known.name().toLowerCase(Locale.ROOT).equals(pull))
                .findFirst()
                .orElseThrow(
                        () -> ApiException.field("pull", Labels.printable(pull), "must be missing, always or never"));
    }

    private static @Nullable String workingDirectory(@Nullable String path) {
        if (path == null) {
            return null;
        }
        String absolute =
                ContainerPath.trimmed(path.startsWith("/") ? path : ContainerPlans.WORKING_DIRECTORY + "/" + path);
        Optional<String> problem = path.isEmpty()
                ? Optional.of("must be a directory, absolute or in " + ContainerPlans.WORKING_DIRECTORY)
                : ContainerPath.problem(absolute);
        if (problem.isPresent()) {
            throw ApiException.field("workingDirectory", Labels.printable(path), problem.get());
        }
        return absolute.equals(ContainerPlans.WORKING_DIRECTORY) ? null : absolute;
    }

    private @Nullable Integer cpus(@Nullable Integer milli) {
        if (milli == null) {
            BigDecimal cpus = settings.find(Keys.CPUS);
            return cpus == null
                    ? null
                    : cpus.multiply(BigDecimal.valueOf(MILLI)).intValueExact();
        }
        long most = machine.cpus() == 0 ? Integer.MAX_VALUE : (long) machine.cpus() * MILLI;
        if (milli < 1 || milli > most) {
            throw ApiException.field(
                    "cpuMilli",
                    milli.toString(),
                    "must be from 1 to " + most + " thousandths of a CPU: this machine has " + machine.cpus()
                            + " CPUs");
        }
        return milli;
    }

    private @Nullable Long memory(@Nullable Long bytes) {
        if (bytes == null) {
            return bytes(Keys.MEMORY);
        }
        return within("memoryBytes", bytes, MIN_MEMORY, machineMemory(), "this machine has");
    }

    private @Nullable Long shm(@Nullable Long bytes, @Nullable Long memory) {
        if (bytes == null) {
            return bytes(Keys.SHM_SIZE);
        }
        return memory == null
                ? within("shmBytes", bytes, 1, machineMemory(), "this machine has")
                : within("shmBytes", bytes, 1, memory, "what is there counts as the job's memory, which is");
    }

    private @Nullable Long bytes(Key<ByteSize> key) {
        ByteSize size = settings.find(key);
        return size == null ? null : size.bytes();
    }

    private long machineMemory() {
        return machine.memoryBytes() == 0 ? Long.MAX_VALUE : machine.memoryBytes();
    }

    private static long within(String field, long bytes, long least, long most, String why) {
        if (bytes < least || bytes > most) {
            throw ApiException.field(
                    field,
                    Long.toString(bytes),
                    "must be from " + least + " to " + most + " bytes: " + why + " " + most);
        }
        return bytes;
    }

    private String network(String name) {
        Set<String> allowed = new TreeSet<>(settings.get(Keys.NETWORKS));
        if (settings.get(Keys.HOST_NETWORK)) {
            allowed.add(HOST_NETWORK);
        } else {
            allowed.remove(HOST_NETWORK);
        }
        if (name.equals(HOST_NETWORK) && !allowed.contains(name)) {
            throw ApiException.field(
                    "network",
                    name,
                    "is the machine's own, which only the administrator can allow (privileges.host-network); take one of "
                            + String.join(", ", allowed));
        }
        if (!NETWORK.matcher(name).matches() || !allowed.contains(name)) {
            throw ApiException.field("network", Labels.printable(name), "must be one of " + String.join(", ", allowed));
        }
        return name;
    }
}
