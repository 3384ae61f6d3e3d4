package dev.berth.server.gpu;

import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuId;
import dev.berth.core.job.GpuIndex;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What can be given out of the cards of a machine: a card in MIG mode is not usable itself, its MIG devices stand in its
 * place.
 *
 * @param owners the card of each, itself or what it is a part of
 */
record GivenCards(List<GpuCard> cards, SortedMap<GpuId, FoundCard> owners) {

    /**
     * Finds them.
     *
     * @param warnings gets a sentence for each card that is not as it should be
     */
    static GivenCards of(List<FoundCard> found, List<String> warnings) {
        List<GpuCard> cards = new ArrayList<>();
        SortedMap<GpuId, FoundCard> owners = new TreeMap<>();
        for (FoundCard card : found) {
            warn(card, warnings);
            if (!card.migOn()) {
                cards.add(given(
                        card,
                        new Gpu(card.id(), GpuIndex.ofCard(card.index()), card.name(), mib(card.memoryBytes())),
                        null));
                owners.put(card.id(), card);
                continue;
            }
            for (FoundCard.Part part : card.parts()) {
                GpuIndex index = new GpuIndex(card.index(), part.number());
                cards.add(given(
                        card,
                        new Gpu(part.id(), index, part.name(), mib(part.memoryBytes())),
                        new GpuCard.Mig(card.id(), part.instances())));
                owners.put(part.id(), card);
            }
        }
        return new GivenCards(cards, owners);
    }

    private static void warn(FoundCard card, List<String> warnings) {
        if (!card.tellsProcesses()) {
            warnings.add(card.words() + " does not tell what runs on it: processes of others are not seen there");
        }
        if (card.migOn() && card.parts().isEmpty()) {
            warnings.add(card.words()
                    + " is not given out: it is in MIG mode and has no MIG device, so that nothing can"
                    + " run on it; make some (nvidia-smi mig -i " + card.index() + " -cgi ... -C), or switch the mode"
                    + " off (nvidia-smi -i " + card.index() + " -mig 0)");
        }
    }

    private static GpuCard given(FoundCard card, Gpu gpu, GpuCard.@Nullable Mig mig) {
        return new GpuCard(gpu, card.pciBusId(), card.minor(), mig, card.computeMode(), card.display());
    }

    private static long mib(long bytes) {
        return bytes >> 20;
    }
}
