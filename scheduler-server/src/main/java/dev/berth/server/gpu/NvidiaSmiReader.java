package dev.berth.server.gpu;

import dev.berth.core.job.GpuId;
import dev.berth.core.place.GpuTopology;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The cards by {@code nvidia-smi -q -x}, where NVIDIA's library cannot be had: each look is a process, which takes
 * tenths of a second. It tells of no errors (XID, ECC), and not how the cards are joined.
 */
public final class NvidiaSmiReader implements GpuReader {
    private static final String CARDS = "the GPUs";

    private final NvidiaSmi program;
    private final Patience patience;
    private final LocalCpus localCpus;
    private final CallLine system = new CallLine("gpus");
    private final Map<GpuId, CallLine> lines = new ConcurrentHashMap<>();
    private final Losses losses = new Losses();
    /** The cards that did not answer, and the sentences of that. */
    private final Map<GpuId, String> hung = new ConcurrentHashMap<>();

    /** Those that answered after all once a job was not to wait any longer: they are slow, and are waited for. */
    private final Set<GpuId> slow = ConcurrentHashMap.newKeySet();

    /** Those that are asked whether they still do. */
    private final Set<GpuId> askedAgain = ConcurrentHashMap.newKeySet();

    private volatile Map<GpuId, SmiCard> known = Map.of();

    NvidiaSmiReader(NvidiaSmi program, Patience patience, LocalCpus localCpus) {
        this.program = program;
        this.patience = patience;
        this.localCpus = localCpus;
    }

    // ---- what there is --------------------------------------------------------------------------------------------

    @Override
    public GpuInventory inventory() {
        return system.call(CARDS, patience.start().multipliedBy(4), this::find);
    }

    private GpuInventory find() {
        List<String> warnings = new ArrayList<>();
        NvidiaSmi.Output all = program.run(patience.start(), "-q", "-x");
        List<XmlElement> documents = new ArrayList<>();
        List<SmiCard> cards;
        if (all.exit() == 0) {
            documents.add(XmlElement.parse(all.text()));
            cards = cards(documents.getFirst());
        } else {
            cards = oneByOne(all, documents, warnings);
        }
        Map<GpuId, SmiCard> seen = new HashMap<>(known);
        cards.forEach(it -> {
            seen.put(it.card().id(), it);
            it.parts().keySet().forEach(part -> seen.put(part, it));
        });
        known = Map.copyOf(seen);
        GivenCards given = GivenCards.of(cards.stream().map(SmiCard::card).toList(), warnings);
        String driver = documents.getFirst().at("driver_version");
        String cuda = documents.getFirst().at("cuda_version");
        return new GpuInventory(
                driver.matches("[0-9.]+") ? driver : null,
                cuda.matches("[0-9]+\\.[0-9]+") ? cuda : null,
                given.cards(),
                topology(given),
                warnings);
    }

    private List<SmiCard> cards(XmlElement document) {
        List<XmlElement> gpus = document.all("gpu").toList();
        SmiList listed = gpus.stream().anyMatch(NvidiaSmiReader::isDivided)
                ? SmiList.parse(program.run(patience.start(), "-L").text())
                : SmiList.parse("");
        List<SmiCard> cards = new ArrayList<>();
        for (int i = 0; i < gpus.size(); i++) {
            cards.add(card(i, gpus.get(i), listed));
        }
        return cards;
    }

    private static boolean isDivided(XmlElement gpu) {
        return gpu.at("mig_mode", "current_mig").equals("Enabled");
    }

    private static SmiCard card(int index, XmlElement gpu, SmiList listed) {
        String uuid = gpu.at("uuid");
        return SmiCard.of(index, gpu, uuid.isBlank() ? List.of() : listed.parts(new GpuId(uuid)));
    }

    /** One card that cannot be read fails the call about all. */
    private List<SmiCard> oneByOne(NvidiaSmi.Output all, List<XmlElement> documents, List<String> warnings) {
        if (all.exit() == NvidiaSmi.NO_DEVICES || all.exit() == NvidiaSmi.NO_DRIVER) {
            throw NvidiaSmi.failure(all);
        }
        SmiList listed = SmiList.parse(program.run(patience.start(), "-L").text());
        List<SmiCard> cards = new ArrayList<>();
        listed.gpus().forEach((index, id) -> {
            NvidiaSmi.Output one = program.run(patience.start(), "-q", "-x", "-i", id.uuid());
            if (one.exit() == 0) {
                XmlElement document = XmlElement.parse(one.text());
                documents.add(document);
                document.all("gpu").findFirst().ifPresent(gpu -> cards.add(card(index, gpu, listed)));
            } else {
                warnings.add("GPU " + index + " is not given out: nvidia-smi says: " + one.complaint());
            }
        });
        if (cards.isEmpty()) {
            throw NvidiaSmi.failure(all);
        }
        listed.complaints().forEach(it -> warnings.add("a GPU is not given out: nvidia-smi says: " + it));
        return cards;
    }

    private GpuTopology topology(GivenCards given) {
        SortedMap<GpuId, List<Integer>> near = new TreeMap<>();
        given.owners().forEach((gpu, owner) -> {
            List<Integer> cpus = localCpus.of(owner.pciBusId());
            if (!cpus.isEmpty()) {
                near.put(gpu, cpus);
            }
        });
        return new GpuTopology(new TreeMap<>(), near);
    }

    // ---- how it is ------------------------------------------------------------------------------------------------

    @Override
    public GpuReading read(GpuId gpu) {
        return askUnlessHung(known(gpu)).reading(gpu);
    }

    @Override
    public List<GpuProcess> processes(GpuId gpu) {
        return askUnlessHung(known(gpu)).processes(gpu);
    }

    @Override
    public GpuReading sample(GpuId gpu) {
        return ask(known(gpu), longest()).reading(gpu);
    }

    /** Whoever asks may have a job that waits for the answer: one that hung is not waited for again, and asked beside. */
    private SmiCard askUnlessHung(SmiCard card) {
        String sentence = hung.get(card.card().id());
        if (sentence == null) {
            return ask(card, slow.contains(card.card().id()) ? longest() : patience.job());
        }
        askBeside(card);
        throw new GpuException(GpuException.Kind.HUNG, sentence);
    }

    private void askBeside(SmiCard card) {
        GpuId id = card.card().id();
        if (!askedAgain.add(id)) {
            return;
        }
        try {
            var _ = line(card).begin(card.card().words(), () -> {
                try {
                    return answer(card);
                } finally {
                    askedAgain.remove(id);
                }
            });
        } catch (GpuException e) {
            askedAgain.remove(id);
        }
    }

    private CallLine line(SmiCard card) {
        return lines.computeIfAbsent(
                card.card().id(), _ -> new CallLine("gpu-" + card.card().index()));
    }

    private SmiCard known(GpuId gpu) {
        SmiCard before = known.get(gpu);
        if (before == null) {
            throw new GpuException("this machine has no GPU " + gpu);
        }
        return before;
    }

    /** Longer than the process may take, so that what is said is the process's. */
    private Duration longest() {
        return patience.call().multipliedBy(2);
    }

    private SmiCard ask(SmiCard before, Duration longest) {
        GpuId id = before.card().id();
        try {
            return line(before).call(before.card().words(), longest, () -> answer(before));
        } catch (GpuException e) {
            if (e.kind() == GpuException.Kind.HUNG) {
                hung.put(id, String.valueOf(e.getMessage()));
            } else {
                hung.remove(id);
            }
            throw e;
        }
    }

    /** On the card's line; whoever waited for it may have given up meanwhile. */
    private SmiCard answer(SmiCard before) {
        GpuId id = before.card().id();
        boolean wasHung = hung.containsKey(id);
        try {
            SmiCard now = now(before);
            if (hung.remove(id) != null && !wasHung) {
                slow.add(id);
            }
            return now;
        } catch (GpuException e) {
            slow.remove(id);
            throw e;
        }
    }

    private SmiCard now(SmiCard before) {
        FoundCard card = before.card();
        NvidiaSmi.Output output =
                program.run(patience.call(), "-q", "-x", "-i", card.id().uuid());
        if (output.exit() == NvidiaSmi.GPU_LOST) {
            losses.lost(card);
            throw NvmlAnswers.lost(card.words());
        }
        if (output.exit() != 0) {
            throw new GpuException(
                    GpuException.Kind.FAILED, card.words() + " cannot be read: nvidia-smi says: " + output.complaint());
        }
        losses.well(card);
        XmlElement gpu = XmlElement.parse(output.text())
                .all("gpu")
                .findFirst()
                .orElseThrow(() ->
                        new GpuException(GpuException.Kind.FAILED, "nvidia-smi prints nothing about " + card.words()));
        return before.with(gpu);
    }

    /** Only losses that a look finds. */
    @Override
    public AutoCloseable watch(GpuListener listener) {
        return losses.tell(listener);
    }

    @Override
    public void close() {
        lines.values().forEach(CallLine::close);
        system.close();
    }
}
