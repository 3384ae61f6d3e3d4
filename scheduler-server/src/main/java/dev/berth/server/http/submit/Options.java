package dev.berth.server.http.submit;

import dev.berth.core.api.OptionValues;
import dev.berth.core.api.SubmitRequest;
import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.GpuTraits;
import dev.berth.core.job.Guarantee;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.LimitSignal;
import dev.berth.core.job.Limits;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.PullPolicy;
import dev.berth.core.job.Resources;
import dev.berth.core.job.Submitter;
import dev.berth.core.job.Tasks;
import dev.berth.core.job.TrackSources;
import dev.berth.core.machine.Durations;
import dev.berth.core.option.JobOption;
import dev.berth.server.code.UploadLimits;
import dev.berth.server.config.ByteSize;
import dev.berth.server.config.Key;
import dev.berth.server.config.Keys;
import dev.berth.server.config.Settings;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.PrintableText;
import dev.berth.server.runner.docker.ContainerPlans;
import dev.berth.server.runner.docker.EngineFacts;
import dev.berth.server.runner.docker.image.ImageName;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The options of a submit beyond its program: each checked, or filled in from the server's defaults. */
public record Options(Settings settings, EngineFacts machine, Volumes volumes) {
    private static final int MAX_TAGS = 32;
    private static final int MAX_GPU_LABELS = 32;
    private static final int MILLI = 1_000;

    /** The least that Docker takes (moby, {@code linuxMinMemory}). */
    private static final long MIN_MEMORY = 6L << 20;

    private static final long MAX_SECONDS = Limits.MAX.toSeconds();

    private static final String HOST_NETWORK = "host";

    /** A network's name (docker network create); none begins a namespace of another container's. */
    private static final Pattern NETWORK = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,127}");

    private static final Pattern GPU_TYPE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}");

    private static final Pattern GPU_LABEL = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

    /** The container that is to be, where the job may use so much memory. */
    InContainer container(OptionValues asked, String snapshot, @Nullable Long memory, Submitter who) {
        return new InContainer(
                snapshot,
                image(asked.get(JobOption.IMAGE, String.class)),
                pull(asked.get(JobOption.PULL, String.class)),
                workingDirectory(asked.get(JobOption.WORKING_DIRECTORY, String.class)),
                shm(asked.get(JobOption.SHM, Long.class), memory),
                network(Objects.requireNonNullElse(
                        asked.get(JobOption.NETWORK, String.class), settings.get(Keys.JOB_NETWORK))),
                volumes.check(asked.texts(JobOption.VOLUMES), who),
                sources(asked.texts(JobOption.TRACK)));
    }

    private static TrackSources sources(List<@Nullable String> texts) {
        List<TrackSources> each = texts.stream()
                .map(text -> parsed(JobOption.TRACK, String.valueOf(text), TrackSources::parse))
                .toList();
        if (each.size() > 1 && each.contains(TrackSources.NONE)) {
            throw ApiException.field(JobOption.TRACK.field(), TrackSources.NONE.toString(), TrackSources.RULE);
        }
        return each.stream().reduce(TrackSources::and).orElse(TrackSources.USUAL);
    }

    /** A process of the machine takes nothing from the defaults of containers. */
    Resources resources(SubmitRequest request) {
        OptionValues asked = request.options();
        Integer asks = asked.get(JobOption.CPUS, Integer.class);
        Integer cpus = request.host() && asks == null ? null : cpus(asks);
        Long memory = request.host() ? null : memory(asked.get(JobOption.MEMORY, Long.class));
        return new Resources(
                gpus(asked.get(JobOption.GPUS, Integer.class), request.gpuMilli()),
                traits(asked),
                cpus,
                memory,
                Objects.requireNonNullElse(number(asked, JobOption.NICE), 0),
                guarantee(asked, cpus, memory));
    }

    /** What a job asks a target for: neither this machine's defaults nor its bounds are any of it. */
    Resources targetResources(SubmitRequest request) {
        OptionValues asked = request.options();
        return TargetRequests.resources(
                asked, gpus(asked.get(JobOption.GPUS, Integer.class), request.gpuMilli()), traits(asked));
    }

    /** The guarantee of a job that may use so much. */
    private Guarantee guarantee(OptionValues asked, @Nullable Integer cpus, @Nullable Long memory) {
        Integer milli = asked.get(JobOption.CPU_GUARANTEE, Integer.class);
        if (milli != null && cpus != null && milli > cpus) {
            throw ApiException.field(
                    JobOption.CPU_GUARANTEE.field(),
                    milli.toString(),
                    "is more than the " + cpus + " thousandths of a CPU that the job may use");
        }
        Long bytes = asked.get(JobOption.MEMORY_GUARANTEE, Long.class);
        return new Guarantee(
                milli == null ? null : withinMachine(JobOption.CPU_GUARANTEE.field(), milli),
                bytes == null
                        ? null
                        : within(
                                JobOption.MEMORY_GUARANTEE.field(),
                                bytes,
                                1,
                                memory == null ? machineMemory() : memory,
                                memory == null ? "this machine's " : "what the job may use: "));
    }

    /** The number of an option, within the bounds of the table; null where it is not given. */
    static @Nullable Integer number(OptionValues asked, JobOption option) {
        Long number = longNumber(asked, option);
        return number == null ? null : Math.toIntExact(number);
    }

    static @Nullable Long longNumber(OptionValues asked, JobOption option) {
        Long number = asked.get(option, Long.class);
        if (number != null && !option.bounds().contains(number)) {
            throw ApiException.field(
                    option.field(),
                    number.toString(),
                    "must be " + option.bounds().inWords());
        }
        return number;
    }

    static @Nullable Tasks tasks(@Nullable String text) {
        return text == null ? null : parsed(JobOption.ARRAY, text, Tasks::parse);
    }

    /**
     * The value of an option's text.
     *
     * @param parse what reads it; its {@link IllegalArgumentException} has the rule that the text breaks
     */
    static <T> T parsed(JobOption option, String text, Function<String, T> parse) {
        try {
            return parse.apply(text);
        } catch (IllegalArgumentException e) {
            throw ApiException.field(option.field(), PrintableText.of(text), String.valueOf(e.getMessage()));
        }
    }

    Limits limits(OptionValues asked) {
        Duration most = settings.find(Keys.MAX_TIME_LIMIT);
        Duration time = duration(JobOption.TIME, asked);
        if (time == null) {
            Duration usual = settings.find(Keys.TIME_LIMIT);
            time = usual == null ? most : usual;
        } else if (most != null && time.compareTo(most) > 0) {
            throw ApiException.field(
                    JobOption.TIME.field(),
                    Long.toString(time.toSeconds()),
                    "must be at most " + Durations.inWords(most) + ", the most that this server lets a job run ("
                            + Keys.MAX_TIME_LIMIT.name() + ")");
        }
        Duration idle = duration(JobOption.IDLE, asked);
        return new Limits(
                time, idle, signal(asked.get(JobOption.SIGNAL, String.class), time), grace(asked, time, idle));
    }

    private static @Nullable LimitSignal signal(@Nullable String asked, @Nullable Duration time) {
        if (asked == null) {
            return null;
        }
        String field = JobOption.SIGNAL.field();
        String text = PrintableText.of(asked);
        LimitSignal signal = parsed(JobOption.SIGNAL, asked, LimitSignal::parse);
        if (time == null) {
            throw ApiException.field(field, text, "needs a time limit that it comes before; give the job one (--time)");
        }
        if (signal.before().compareTo(time) >= 0) {
            throw ApiException.field(
                    field, text, "must come within the job's time limit, which is " + Durations.inWords(time));
        }
        return signal;
    }

    private @Nullable Duration grace(OptionValues asked, @Nullable Duration time, @Nullable Duration idle) {
        Duration grace = duration(JobOption.GRACE, asked);
        if (grace == null) {
            return asked.has(JobOption.PACK) && time != null ? usualGrace() : null;
        }
        Duration most = settings.get(Keys.MAX_STOP_GRACE);
        String field = JobOption.GRACE.field();
        String text = Long.toString(grace.toSeconds());
        if (grace.compareTo(most) > 0) {
            throw ApiException.field(
                    field,
                    text,
                    "must be at most " + Durations.inWords(most) + ", the most that this server gives a job ("
                            + Keys.MAX_STOP_GRACE.name() + ")");
        }
        if (time == null && idle == null) {
            throw ApiException.field(
                    field, text, "is for the end at a limit; give the job one (--time or --idle-timeout)");
        }
        return grace;
    }

    /** The server's, which the time limit of a pack counts for each of its tasks, and which the next server may have changed. */
    private @Nullable Duration usualGrace() {
        Duration usual = settings.get(Keys.STOP_GRACE);
        return usual.isPositive() ? usual : null;
    }

    private static @Nullable Duration duration(JobOption option, OptionValues asked) {
        Long seconds = asked.get(option, Long.class);
        if (seconds != null && (seconds < 1 || seconds > MAX_SECONDS)) {
            throw ApiException.field(
                    option.field(), seconds.toString(), "must be from 1 second to " + MAX_SECONDS + " (ten years)");
        }
        return seconds == null ? null : Duration.ofSeconds(seconds);
    }

    private String image(@Nullable String image) {
        String name = image == null ? settings.get(Keys.JOB_IMAGE) : image;
        if (!ImageName.isGood(name)) {
            throw ApiException.field("image", PrintableText.of(name), ImageName.RULE);
        }
        return name;
    }

    private static GpuRequest gpus(@Nullable Integer count, @Nullable Integer milli) {
        if (milli != null) {
            return share(count, milli);
        }
        int gpus = count == null ? 0 : count;
        if (gpus < 0 || gpus > GpuRequest.MAX_COUNT) {
            throw ApiException.field(
                    "gpus", Integer.toString(gpus), "must be a whole number from 0 to " + GpuRequest.MAX_COUNT);
        }
        return GpuRequest.whole(gpus);
    }

    private static GpuRequest share(@Nullable Integer count, int milli) {
        if (count != null) {
            throw ApiException.field(
                    "gpuMilli", Integer.toString(milli), "stands in place of gpus; give one of the two");
        }
        if (milli < 1 || milli >= GpuRequest.WHOLE) {
            throw ApiException.field(
                    "gpuMilli",
                    Integer.toString(milli),
                    "must be from 1 to " + (GpuRequest.WHOLE - 1)
                            + " thousandths of one GPU; whole ones are asked for by gpus");
        }
        return new GpuRequest(milli);
    }

    private static GpuTraits traits(OptionValues asked) {
        Long memory = asked.get(JobOption.GPU_MEMORY, Long.class);
        if (memory != null && memory < 1) {
            throw ApiException.field("gpuMemoryBytes", memory.toString(), "must be a number of bytes above 0");
        }
        String type = asked.get(JobOption.GPU_TYPE, String.class);
        if (type != null && !GPU_TYPE.matcher(type).matches()) {
            throw ApiException.field(
                    "gpuType",
                    PrintableText.of(type),
                    "must be a word or two of a GPU's name, such as a100; berth gpus shows the names");
        }
        List<@Nullable String> labels = asked.texts(JobOption.GPU_LABELS);
        if (labels.size() > MAX_GPU_LABELS) {
            throw ApiException.field("gpuLabels", labels.size() + " labels", "must be at most " + MAX_GPU_LABELS);
        }
        List<String> checked = new ArrayList<>();
        for (@Nullable String label : labels) {
            if (label == null || !GPU_LABEL.matcher(label).matches()) {
                throw ApiException.field(
                        "gpuLabels",
                        PrintableText.of(String.valueOf(label)),
                        "must be a word that the operator gave to GPUs (gpus.labels); berth gpus shows them");
            }
            checked.add(label);
        }
        return new GpuTraits(memory, type, checked);
    }

    /** Throws where what was allowed at an earlier submit is not any more. */
    void recheck(JobSpec spec, Submitter who) {
        if (spec.place() instanceof InContainer container) {
            String _ = network(container.network());
            volumes.recheck(container.mounts(), who);
        }
    }

    static List<String> tags(List<@Nullable String> tags) {
        if (tags.size() > MAX_TAGS) {
            throw ApiException.field("tags", tags.size() + " tags", "must be at most " + MAX_TAGS);
        }
        Set<String> seen = new LinkedHashSet<>();
        for (@Nullable String tag : tags) {
            String checked = Labels.checked("tags", tag, "");
            if (!seen.add(checked)) {
                throw ApiException.field("tags", checked, "must be given once; leave the second out");
            }
        }
        return List.copyOf(seen);
    }

    private PullPolicy pull(@Nullable String pull) {
        if (pull == null) {
            return settings.get(Keys.PULL);
        }
        return Arrays.stream(PullPolicy.values())
                .filter(known -> known.word().equals(pull))
                .findFirst()
                .orElseThrow(
                        () -> ApiException.field("pull", PrintableText.of(pull), "must be missing, always or never"));
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
            throw ApiException.field("workingDirectory", PrintableText.of(path), problem.get());
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
        return withinMachine("cpuMilli", milli);
    }

    private int withinMachine(String field, int milli) {
        if (milli < 1) {
            throw ApiException.field(field, Integer.toString(milli), "must be above 0");
        }
        if (machine.cpus() != 0 && milli > (long) machine.cpus() * MILLI) {
            throw ApiException.field(
                    field, Integer.toString(milli), "is more than this machine's " + machine.cpus() + " CPUs");
        }
        return milli;
    }

    private @Nullable Long memory(@Nullable Long bytes) {
        if (bytes == null) {
            return bytes(Keys.MEMORY);
        }
        return within("memoryBytes", bytes, MIN_MEMORY, machineMemory(), "this machine's ");
    }

    private @Nullable Long shm(@Nullable Long bytes, @Nullable Long memory) {
        if (bytes == null) {
            return bytes(Keys.SHM_SIZE);
        }
        return memory == null
                ? within("shmBytes", bytes, 1, machineMemory(), "this machine's ")
                : within("shmBytes", bytes, 1, memory, "the job's memory, as which it counts: ");
    }

    private @Nullable Long bytes(Key<ByteSize> key) {
        ByteSize size = settings.find(key);
        return size == null ? null : size.bytes();
    }

    private long machineMemory() {
        return machine.memoryBytes() == 0 ? Long.MAX_VALUE : machine.memoryBytes();
    }

    private static long within(String field, long bytes, long least, long most, String whose) {
        if (bytes < least) {
            throw ApiException.field(
                    field,
                    Long.toString(bytes),
                    "is less than " + UploadLimits.inWords(least) + ", the least there may be");
        }
        if (bytes > most) {
            throw ApiException.field(field, Long.toString(bytes), "is more than " + whose + UploadLimits.inWords(most));
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
                    "is the machine's own, which only the administrator can allow (privileges.host-network); take one"
                            + " of "
                            + String.join(", ", allowed));
        }
        if (!NETWORK.matcher(name).matches() || !allowed.contains(name)) {
            throw ApiException.field("network", PrintableText.of(name), "must be one of " + String.join(", ", allowed));
        }
        return name;
    }
}
