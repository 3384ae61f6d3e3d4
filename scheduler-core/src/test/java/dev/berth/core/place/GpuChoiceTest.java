package dev.berth.core.place;

import static dev.berth.core.place.GpuMachines.gpu;
import static dev.berth.core.place.GpuMachines.gpus;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.GpuId;
import dev.berth.core.place.GpuLink.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class GpuChoiceTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            # box        | free            | asked | chosen          | because
            DGX1         | 0 1 2 3 4 5 6 7 | 1     | 0               | all are joined alike
            DGX1         | 1 2 3 4 5 6 7   | 1     | 3               | of 0's quad, which is broken already, the least joined
            DGX1         | 0 1 2 3 4 5 6 7 | 2     | 0 3             | two NVLinks
            DGX1         | 1 2 4 5 6 7     | 2     | 1 2             | two NVLinks, and the other quad stays whole
            DGX1         | 0 1 2 3 4 5 6 7 | 3     | 0 2 3           | NV1, NV2, NV2
            DGX1         | 0 1 2 3 4 5 6 7 | 4     | 0 1 2 3         | a quad without a way over the processors
            DGX1         | 1 2 3 4 5 6 7   | 4     | 4 5 6 7         | the quad that is whole
            DGX1         | 1 4 5 6 7       | 2     | 1 5             | two NVLinks as 4-7 or 6-7, and leaves 4, 6, 7
            DGX1         | 0 1 6 7         | 2     | 6 7             | NV2 beats NV1
            DGX1         | 0 5 7           | 2     | 5 7             | NV1 beats the processors
            DGX_A100     | 0 1 2 3 4 5 6 7 | 4     | 0 1 2 3         | all are alike: the first
            DGX_A100     | 1 3 4 6         | 2     | 1 3             | all are alike: the first
            TWO_SWITCHES | 0 1 2 3         | 1     | 0               | both pairs are alike
            TWO_SWITCHES | 1 2 3           | 1     | 1               | the pair 2-3 stays whole
            TWO_SWITCHES | 1 2 3           | 2     | 2 3             | one switch
            TWO_SWITCHES | 0 1 2           | 1     | 2               | the pair 0-1 stays whole
            TWO_SWITCHES | 0 1 2 3         | 3     | 0 1 2           | one pair and one more, whichever
            CROSSED      | 0 1 2 3         | 2     | 0 2             | one switch, though not neighbours by number
            CROSSED      | 1 2 3           | 2     | 1 3             | one switch
            LADDER       | 0 2 4 5         | 2     | 0 2             | several switches beat a host bridge
            LADDER       | 0 4 6           | 2     | 4 6             | one NUMA node beats two
            LADDER       | 0 4 5 6 7       | 2     | 4 5             | one host bridge beats two
            LADDER       | 0 1 2 3 4 5 6 7 | 4     | 0 1 2 3         | the worst pair has switches between
            LADDER       | 0 1 4 5 6 7     | 4     | 4 5 6 7         | the worst pair decides, not the best
            LADDER       | 0 1 2 3 4 5 6 7 | 1     | 4               | where the ways are long anyway
            BRIDGES      | 0 1 2 3 4 5     | 2     | 4 5             | a bridge, and the one whose loss the others feel less
            BRIDGES      | 0 1 2 3         | 2     | 2 3             | a bridge
            BRIDGES      | 0 1 2 3 4 5     | 1     | 0               | no bridge is broken up
            BRIDGES      | 2 3 4 5         | 1     | 2               | a bridge has to be, and they are alike
            BRIDGES      | 2 4 5           | 1     | 2               | its bridge is broken up already
            """)
    void theSetWithTheBestLinks(GpuMachines box, String free, int asked, String chosen, String because) {
        assertThat(GpuChoice.of(numbered(free), asked, box.topology()))
                .as(because)
                .contains(numbered(chosen));
    }

    @ParameterizedTest
    @EnumSource(GpuMachines.class)
    void asManyAsThereAreAndNoMore(GpuMachines box) {
        List<GpuId> free = box.gpus();
        assertThat(GpuChoice.of(free, free.size(), box.topology())).contains(free);
        assertThat(GpuChoice.of(free, free.size() + 1, box.topology())).isEmpty();
        assertThat(GpuChoice.of(free, 0, box.topology())).contains(List.of());
        assertThat(GpuChoice.of(List.of(), 1, box.topology())).isEmpty();
    }

    @Test
    void whereNothingIsKnownTheFirst() {
        assertThat(GpuChoice.of(numbered("7 3 5"), 2, GpuTopology.UNKNOWN)).contains(numbered("7 3"));
        assertThat(GpuChoice.of(numbered("1 2 3"), 1, GpuTopology.UNKNOWN)).contains(numbered("1"));
    }

    @Test
    void whereSomeAreUnknownTheyCountAsTheFarthest() {
        List<GpuId> free = numbered("9 8 2 3");
        assertThat(GpuChoice.of(free, 2, GpuMachines.DGX1.topology())).contains(numbered("2 3"));
        assertThat(GpuChoice.of(free, 1, GpuMachines.DGX1.topology())).contains(numbered("9"));
    }

    /** By another way than the one under test: all sets, each looked at as the rule says it. */
    @ParameterizedTest
    @EnumSource(GpuMachines.class)
    void noSetHasABetterWorstPair(GpuMachines box) {
        SplittableRandom random = new SplittableRandom(7);
        for (int round = 0; round < 40; round++) {
            List<GpuId> free =
                    box.gpus().stream().filter(_ -> random.nextInt(4) > 0).toList();
            int asked = free.isEmpty() ? 0 : 1 + random.nextInt(free.size());
            List<GpuId> chosen = GpuChoice.of(free, asked, box.topology()).orElseThrow();
            assertThat(chosen).hasSize(asked).isSubsetOf(free).isEqualTo(inOrderOf(free, chosen));
            assertThat(subsets(free, asked))
                    .as("better than %s of %s", chosen, free)
                    .noneMatch(set -> worst(box, set).compareTo(worst(box, chosen)) > 0);
            assertThat(GpuChoice.of(free, asked, box.topology())).contains(chosen);
        }
    }

    @Test
    void eightOfSixteenAreStillChosenOfAllSets() {
        // Two boards of eight, the odd and the even ones, as no growing from a number would guess.
        GpuTopology boards =
                GpuMachines.topology(16, (one, other) -> new GpuLink(one % 2 == other % 2 ? 6 : 0, Path.SYSTEM));
        List<GpuId> free = gpus(16);
        assertThat(GpuChoice.of(free, 8, boards)).contains(numbered("0 2 4 6 8 10 12 14"));
        assertThat(GpuChoice.of(free.subList(1, 16), 8, boards)).contains(numbered("1 3 5 7 9 11 13 15"));
    }

    @Test
    void ofVeryManyASetIsGrownFromTheBestStart() {
        GpuTopology islands = GpuMachines.topology(
                96, (one, other) -> one % 12 == other % 12 ? new GpuLink(4, Path.NODE) : GpuLink.UNKNOWN);
        List<GpuId> free = new ArrayList<>(gpus(96));
        free.removeAll(numbered("0 12 1 13 2 3 4 5 6 8 9 10 11"));
        assertThat(GpuChoice.of(free, 8, islands)).contains(numbered("7 19 31 43 55 67 79 91"));
        assertThat(GpuChoice.of(free, 6, islands)).contains(numbered("24 36 48 60 72 84"));
        assertThat(GpuChoice.of(gpus(256), 128, islands).orElseThrow()).hasSize(128);
    }

    private static List<GpuId> numbered(String numbers) {
        return Arrays.stream(numbers.split(" "))
                .map(number -> gpu(Integer.parseInt(number)))
                .toList();
    }

    private static List<GpuId> inOrderOf(List<GpuId> free, List<GpuId> chosen) {
        return free.stream().filter(chosen::contains).toList();
    }

    private static Stream<List<GpuId>> subsets(List<GpuId> of, int size) {
        return IntStream.range(0, 1 << of.size())
                .filter(bits -> Integer.bitCount(bits) == size)
                .mapToObj(bits -> IntStream.range(0, of.size())
                        .filter(place -> (bits >> place & 1) == 1)
                        .mapToObj(of::get)
                        .toList());
    }

    /** NVLinks before the dot, closeness after it. */
    private static Double worst(GpuMachines box, List<GpuId> set) {
        return set.stream()
                .flatMap(one -> set.stream()
                        .filter(other -> !other.equals(one))
                        .map(other -> box.topology().between(one, other)))
                .map(link -> link.nvlinks() + (9.0 - List.of(Path.values()).indexOf(link.path())) / 10)
                .min(Double::compare)
                .orElse(0.0);
    }
}
