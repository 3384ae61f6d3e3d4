package dev.berth.server.profile;

import dev.berth.core.api.OptionValues;
import dev.berth.core.command.ClosestWord;
import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.NodeTraits;
import dev.berth.core.job.NodeTraits.Toleration;
import dev.berth.core.job.PullPolicy;
import dev.berth.core.option.JobOption;
import dev.berth.server.config.Lines;
import dev.berth.server.config.Problems;
import dev.berth.server.config.YamlNode.Entry;
import dev.berth.server.runner.docker.VariableNames;
import dev.berth.server.runner.docker.image.ImageName;
import dev.berth.server.target.NodeReader;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The options of a job that a profile's {@code kubespawner_override} stands for. For one profile. */
final class OverrideReader {
    private static final String GPU = "nvidia.com/gpu";
    private static final String MIG = "nvidia.com/mig-";

    /** Each of them stands in the table of options beside what it gives. */
    private static final List<String> TAKEN = Stream.of(JobOption.values())
            .filter(option -> option != JobOption.PROFILE)
            .flatMap(option -> option.elsewhere().qhub().stream())
            .toList();

    private final Lines lines;
    private final SharedMemory sharedMemory;
    private final Map<JobOption, Object> values = new EnumMap<>(JobOption.class);
    private final Map<JobOption, Entry> from = new EnumMap<>(JobOption.class);
    private final List<String> unused = new ArrayList<>();

    private Map<String, String> labels = Map.of();
    private List<Toleration> tolerations = List.of();

    /** The first that named GPUs. */
    private @Nullable Entry gpus;

    OverrideReader(Lines lines) {
        this.lines = lines;
        this.sharedMemory = new SharedMemory(lines);
    }

    /** What it says that means nothing on one machine. */
    List<String> unused() {
        return unused;
    }

    /** The nodes of a target that will do. */
    NodeTraits nodes() {
        return new NodeTraits(labels, tolerations);
    }

    OptionValues read(Entry override) {
        lines.section(override).forEach(this::take);
        requireWithin(JobOption.CPU_GUARANTEE, JobOption.CPUS);
        requireWithin(JobOption.MEMORY_GUARANTEE, JobOption.MEMORY);
        Long shm = sharedMemory.bytes((Long) values.get(JobOption.MEMORY));
        if (shm != null) {
            values.put(JobOption.SHM, shm);
        }
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        values.forEach((option, value) -> fields.put(option.field(), value));
        return new OptionValues(fields);
    }

    private void take(Entry entry) {
        switch (entry.name()) {
            case "cpu_limit" -> parsed(entry, JobOption.CPUS, Amounts::cpuMilli, Amounts.CPUS_RULE);
            case "cpu_guarantee" -> parsed(entry, JobOption.CPU_GUARANTEE, Amounts::cpuMilli, Amounts.CPUS_RULE);
            case "mem_limit" -> parsed(entry, JobOption.MEMORY, Amounts::memory, Amounts.MEMORY_RULE);
            case "mem_guarantee" -> parsed(entry, JobOption.MEMORY_GUARANTEE, Amounts::memory, Amounts.MEMORY_RULE);
            case "image" ->
                parsed(entry, JobOption.IMAGE, text -> Optional.of(text).filter(ImageName::isGood), ImageName.RULE);
            case "image_pull_policy" ->
                parsed(entry, JobOption.PULL, OverrideReader::pull, "must be IfNotPresent, Always or Never");
            case "extra_resource_limits", "extra_resource_guarantees" ->
                lines.section(entry).forEach(this::resource);
            case Profile.NODE_SELECTOR -> nodeSelector(entry);
            case Profile.TOLERATIONS -> {
                unused.add(entry.name());
                tolerations = NodeReader.tolerations(lines, entry);
            }
            case "environment" -> environment(entry);
            case "extra_pod_config" -> inner(entry, "volumes", sharedMemory::volumes, ForeignWords.OF_PODS);
            case "extra_container_config" ->
                inner(entry, "volumeMounts", sharedMemory::mounts, ForeignWords.OF_CONTAINERS);
            case "volumes" -> sharedMemory.volumes(entry);
            case "volume_mounts" -> sharedMemory.mounts(entry);
            default -> other(entry);
        }
    }

    private void other(Entry entry) {
        String reason = ForeignWords.REFUSED.get(entry.name());
        if (ForeignWords.OF_SPAWNER.contains(entry.name()) || ForeignWords.isOff(entry)) {
            unused.add(entry.name());
        } else if (reason != null) {
            lines.refuse(entry.line(), entry.name(), reason);
        } else {
            lines.refuse(
                    entry.line(),
                    entry.name(),
                    "is nothing that a profile says here" + ClosestWord.question(entry.name(), TAKEN)
                            + " docs/profiles.md lists what is understood");
        }
    }

    /** A value that is nothing in YAML is as if it were not there, as with JupyterHub. */
    private <T> void parsed(Entry entry, JobOption option, Function<String, Optional<T>> parser, String rule) {
        lines.text(entry).ifPresent(text -> {
            Optional<T> value = parser.apply(text);
            if (value.isEmpty()) {
                lines.broken(entry, text, rule);
            } else {
                put(option, value.get(), entry);
            }
        });
    }

    private void put(JobOption option, Object value, Entry entry) {
        values.put(option, value);
        from.put(option, entry);
    }

    private static Optional<String> pull(String policy) {
        return switch (policy) {
            case "IfNotPresent" -> Optional.of(PullPolicy.MISSING.word());
            case "Always" -> Optional.of(PullPolicy.ALWAYS.word());
            case "Never" -> Optional.of(PullPolicy.NEVER.word());
            default -> Optional.empty();
        };
    }

    private void requireWithin(JobOption guarantee, JobOption limit) {
        Number kept = (Number) values.get(guarantee);
        Number most = (Number) values.get(limit);
        Entry entry = from.get(guarantee);
        if (kept != null && most != null && entry != null && kept.longValue() > most.longValue()) {
            lines.broken(
                    entry,
                    lines.text(entry).orElse(""),
                    "is more than the limit in line "
                            + Objects.requireNonNull(from.get(limit)).line());
        }
    }

    private void resource(Entry entry) {
        boolean isMig = entry.name().startsWith(MIG);
        if (!isMig && !entry.name().equals(GPU)) {
            lines.refuse(
                    entry.line(),
                    entry.name(),
                    "is a resource that this server does not allocate; it has " + GPU + ", " + MIG
                            + "PROFILE, and by keys of their own CPUs (cpu_limit) and memory (mem_limit)");
            return;
        }
        Entry first = gpus == null ? entry : gpus;
        gpus = first;
        if (!first.name().equals(entry.name())) {
            lines.refuse(
                    entry.line(),
                    entry.name(),
                    "is another kind of GPU than " + Problems.shown(first.name()) + " in line " + first.line()
                            + "; a job has one kind of GPU");
            return;
        }
        Object before = values.get(JobOption.GPUS);
        parsed(
                entry,
                JobOption.GPUS,
                OverrideReader::count,
                "must be a whole number of GPUs from 0 to " + GpuRequest.MAX_COUNT);
        if (before != null && !before.equals(values.get(JobOption.GPUS))) {
            lines.refuse(entry.line(), entry.name(), "is another number of GPUs than before");
        }
        if (isMig) {
            put(JobOption.GPU_TYPE, entry.name().substring(MIG.length()), entry);
        }
    }

    private static Optional<Integer> count(String text) {
        return text.matches("[0-9]{1,4}")
                ? Optional.of(Integer.valueOf(text)).filter(count -> count <= GpuRequest.MAX_COUNT)
                : Optional.empty();
    }

    /** Of this machine's own GPUs one of its labels may mean some. */
    private void nodeSelector(Entry entry) {
        labels = NodeReader.labels(lines, entry);
        String type = labels.get(Profile.GPU_LABEL);
        if (type == null || values.containsKey(JobOption.GPU_TYPE)) {
            unused.add(entry.name());
        } else {
            put(JobOption.GPU_TYPE, type, entry);
        }
    }

    private void environment(Entry entry) {
        Map<String, String> variables = new LinkedHashMap<>();
        for (Entry variable : lines.section(entry)) {
            VariableNames.problem(variable.name())
                    .ifPresent(rule -> lines.refuse(variable.line(), variable.name(), rule));
            variables.put(variable.name(), lines.text(variable).orElse(""));
        }
        put(JobOption.ENVIRONMENT, variables, entry);
    }

    /** The configuration of a pod or a container, in Kubernetes' words. */
    private void inner(Entry entry, String taken, Consumer<Entry> take, Set<String> harmless) {
        for (Entry field : lines.section(entry)) {
            if (field.name().equals(taken)) {
                take.accept(field);
            } else if (harmless.contains(field.name())) {
                unused.add(entry.name() + "." + field.name());
            } else {
                lines.refuse(
                        field.line(),
                        field.name(),
                        "is not for a profile to say: rights, devices and mounts of a job follow from its own options"
                                + " alone. Leave it out; of " + entry.name() + " " + taken + " counts");
            }
        }
    }
}
