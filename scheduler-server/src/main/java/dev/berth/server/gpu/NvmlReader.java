package dev.berth.server.gpu;

import dev.berth.core.job.GpuId;
import dev.berth.server.gpu.nvml.Nvml;
import dev.berth.server.gpu.nvml.NvmlException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The cards by NVIDIA's library, which stays open. Each card has a {@link CallLine} of its own, so that one that hangs
 * takes nobody else along.
 */
public final class NvmlReader implements GpuReader {
    private static final String CARDS = "the GPUs";
    private static final Duration END_PATIENCE = Duration.ofMillis(500);

    private final Nvml nvml;
    private final Patience patience;
    private final LocalCpus localCpus;
    private final CallLine system = new CallLine("gpus");
    private final Map<Integer, CallLine> lines = new ConcurrentHashMap<>();
    private final List<NvmlWatch> watches = new CopyOnWriteArrayList<>();
    private final Losses losses = new Losses();
    private volatile Map<GpuId, Known> known = Map.of();

    /**
     * What can be read.
     *
     * @param device the card itself or a part of it
     */
    record Known(CallLine line, NvmlCard found, Nvml.Device device) {
        boolean isPart() {
            return !device.equals(found.device());
        }

        FoundCard card() {
            return found.card();
        }
    }

    private NvmlReader(Nvml nvml, Patience patience, LocalCpus localCpus) {
        this.nvml = nvml;
        this.patience = patience;
        this.localCpus = localCpus;
    }

    /**
     * Loads NVIDIA's library.
     *
     * @param library a path, or a name that the loader looks for in its own places
     * @throws GpuException where there is none
     */
    static Nvml load(String library) {
        try {
            return new Nvml(library);
        } catch (IllegalArgumentException e) {
            throw new GpuException(
                    "NVIDIA's library " + library + " cannot be loaded; NVIDIA's driver brings it along", e);
        }
    }

    /**
     * Starts the library.
     *
     * @throws GpuException saying why no card can be used
     */
    static NvmlReader start(Nvml nvml, Patience patience, LocalCpus localCpus) {
        NvmlReader reader = new NvmlReader(nvml, patience, localCpus);
        try {
            reader.system.call(CARDS, patience.start(), () -> {
                nvml.start();
                return true;
            });
            return reader;
        } catch (NvmlException e) {
            reader.system.close();
            throw NvmlAnswers.noStart(e);
        } catch (GpuException e) {
            reader.system.close();
            throw e;
        }
    }

    // ---- what there is --------------------------------------------------------------------------------------------

    @Override
    public GpuInventory inventory() {
        int count = ofSystem(nvml::count);
        List<String> warnings = new ArrayList<>();
        List<NvmlCard> cards = cards(count, warnings);
        GivenCards given = GivenCards.of(cards.stream().map(NvmlCard::card).toList(), warnings);
        remember(cards);
        return new GpuInventory(
                ofSystem(() -> NvmlAnswers.told(nvml::driverVersion)),
                cuda(ofSystem(() -> NvmlAnswers.told(nvml::cudaVersion))),
                given.cards(),
                NvmlTopology.of(given.owners(), links(cards, warnings), localCpus),
                warnings);
    }

    /** Those that could be read before and cannot now stay known: what is asked about them gets their sentence. */
    private void remember(List<NvmlCard> cards) {
        Map<GpuId, Known> seen = new HashMap<>(known);
        for (NvmlCard it : cards) {
            CallLine line = line(it.card().index());
            seen.put(it.card().id(), new Known(line, it, it.device()));
            it.parts().forEach((gpu, part) -> seen.put(gpu, new Known(line, it, part)));
        }
        known = Map.copyOf(seen);
    }

    private <T> T ofSystem(Supplier<T> question) {
        try {
            return system.call(CARDS, patience.start(), question);
        } catch (NvmlException e) {
            throw NvmlAnswers.failure("the list of GPUs", e);
        }
    }

    /** 12080 is 12.8. */
    private static @Nullable String cuda(@Nullable Integer version) {
        return version == null ? null : version / 1_000 + "." + version % 1_000 / 10;
    }

    /** All at once, so that those that do not answer are waited for together. */
    private List<NvmlCard> cards(int count, List<String> warnings) {
        List<Supplier<NvmlCard>> answers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int index = i;
            try {
                CallLine.Call<NvmlCard> call = line(i).begin(named(i), () -> NvmlCard.read(nvml, index));
                answers.add(() -> call.await(patience.start()));
            } catch (GpuException e) {
                answers.add(() -> {
                    throw e;
                });
            }
        }
        List<NvmlCard> cards = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            try {
                cards.add(answers.get(i).get());
            } catch (NvmlException e) {
                warnings.add(leftOut(i, NvmlAnswers.failure(named(i), e)));
            } catch (GpuException e) {
                warnings.add(leftOut(i, e));
            }
        }
        return cards;
    }

    private static String named(int index) {
        return "GPU " + index;
    }

    private static String leftOut(int index, GpuException e) {
        return named(index) + " is not given out: " + e.getMessage();
    }

    private CallLine line(int index) {
        return lines.computeIfAbsent(index, number -> new CallLine("gpu-" + number));
    }

    private Map<GpuId, NvmlTopology.Links> links(List<NvmlCard> cards, List<String> warnings) {
        Map<GpuId, NvmlTopology.Links> links = new HashMap<>();
        for (int i = 0; i < cards.size(); i++) {
            NvmlCard it = cards.get(i);
            FoundCard card = it.card();
            List<NvmlCard> behind = cards.subList(i + 1, cards.size());
            try {
                links.put(
                        card.id(),
                        line(card.index())
                                .call(card.words(), patience.start(), () -> NvmlTopology.read(nvml, it, behind)));
            } catch (NvmlException | GpuException e) {
                warnings.add("how " + card.words() + " is joined with the others is not known: " + e.getMessage());
            }
        }
        return links;
    }

    // ---- how it is ------------------------------------------------------------------------------------------------

    @Override
    public GpuReading read(GpuId gpu) {
        Known card = known(gpu);
        return ask(card, () -> reading(card));
    }

    @Override
    public List<GpuProcess> processes(GpuId gpu) {
        Known card = known(gpu);
        return ask(card, () -> processes(card));
    }

    private Known known(GpuId gpu) {
        Known card = known.get(gpu);
        if (card == null) {
            throw new GpuException("this machine has no GPU " + gpu);
        }
        return card;
    }

    private <T> T ask(Known known, Supplier<T> question) {
        return known.line().call(known.card().words(), patience.call(), () -> {
            try {
                T answer = question.get();
                losses.well(known.card());
                return answer;
            } catch (NvmlException e) {
                if (e.code() == NvmlException.GPU_IS_LOST) {
                    losses.lost(known.card());
                }
                throw NvmlAnswers.failure(known.card().words(), e);
            }
        });
    }

    /** A part has no utilisation, temperature or power of its own; the latter two are its card's. */
    private GpuReading reading(Known known) {
        Nvml.Device card = known.found().device();
        Nvml.@Nullable Memory memory = NvmlAnswers.told(() -> nvml.memory(known.device()));
        return new GpuReading(
                NvmlAnswers.told(() -> nvml.utilisationPercent(known.device())),
                memory == null ? null : memory.used(),
                memory == null ? null : memory.total(),
                NvmlAnswers.told(() -> nvml.temperatureCelsius(card)),
                NvmlAnswers.told(() -> nvml.powerMilliwatts(card)),
                processes(known));
    }

    private List<GpuProcess> processes(Known known) {
        @Nullable List<Nvml.RunningProcess> computing = NvmlAnswers.told(() -> nvml.computing(known.device()));
        if (computing == null && known.isPart()) {
            return processes(
                    new Known(known.line(), known.found(), known.found().device()));
        }
        return GpuProcesses.merged(Stream.concat(
                computing == null ? Stream.of() : computing.stream().map(it -> of(it, GpuProcess.Kind.COMPUTE)),
                NvmlAnswers.told(() -> nvml.drawing(known.device()), List.<Nvml.RunningProcess>of()).stream()
                        .map(it -> of(it, GpuProcess.Kind.GRAPHICS))));
    }

    private static GpuProcess of(Nvml.RunningProcess process, GpuProcess.Kind kind) {
        return new GpuProcess(process.pid(), kind, process.memory());
    }

    // ---- what happens ---------------------------------------------------------------------------------------------

    @Override
    public AutoCloseable watch(GpuListener listener) {
        NvmlWatch watch = new NvmlWatch(nvml, patience, known.values(), listener);
        watches.add(watch);
        AutoCloseable told = losses.tell(listener);
        return () -> {
            told.close();
            boolean _ = watches.remove(watch);
            watch.close();
        };
    }

    /** The library is not ended where a call into it hangs: it would wait for that. */
    @Override
    public void close() {
        watches.forEach(NvmlWatch::close);
        watches.clear();
        boolean hung = system.isHung() || lines.values().stream().anyMatch(CallLine::isHung);
        lines.values().forEach(CallLine::close);
        try {
            if (!hung) {
                system.call(CARDS, END_PATIENCE, () -> {
                    nvml.end();
                    return true;
                });
            }
        } catch (NvmlException | GpuException e) {
            // It ends with the process, then.
        } finally {
            system.close();
        }
    }
}
