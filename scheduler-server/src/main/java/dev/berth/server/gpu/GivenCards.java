package dev.berth.server.gpu;

import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuId;
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
     * Numbers them: a card has its place in the driver's list, and as many more as the MIG devices before it take.
     *
     * @param warnings gets a sentence for each card that is not as it should be
     */
    static GivenCards of(List<FoundCard> found, List<String> warnings) {
        List<GpuCard> cards = new ArrayList<>();
        SortedMap<GpuId, FoundCard> owners = new TreeMap<>();
        int more = 0;
        for (FoundCard card : found) {
            warn(card, warnings);
            if (!card.migOn()) {
                cards.add(given(card, card.id(), null, card.index() + more, card.name(), card.memoryBytes()));
                owners.put(card.id(), card);
                continue;
            }
            for (int i = 0; i < card.parts().size(); i++) {
                FoundCard.Part part = card.parts().get(i);
                cards.add(given(card, part.id(), card.id(), card.index() + more + i, part.name(), part.memoryBytes()));
                owners.put(part.id(), card);
            }
            more += Math.max(0, card.parts().size() - 1);
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

    private static GpuCard given(
            FoundCard card, GpuId id, @Nullable GpuId parent, int index, String name, long memoryBytes) {
        return new GpuCard(
                new Gpu(id, index, name, memoryBytes >> 20),
                card.pciBusId(),
                card.minor(),
                parent,
                card.computeMode(),
                card.display());
    }
}
