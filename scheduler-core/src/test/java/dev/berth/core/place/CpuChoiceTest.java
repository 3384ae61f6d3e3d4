package dev.berth.core.place;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.place.CpuTopology.Cpu;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class CpuChoiceTest {
    /** A node, four cores, two threads a core; the kernel numbers the second threads last. */
    private static final CpuTopology SMALL = smt(1, 4);

    /** Two nodes of four cores: 0-3 and 8-11 on node 0, 4-7 and 12-15 on node 1. */
    private static final CpuTopology TWO_NODES = smt(2, 4);

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            # taken               | asked | cores               | because
            -                     | 1     | 0                   | a first thread; its sibling is left
            0                     | 1     | 1                   | not the sibling of another job's core
            -                     | 2     | 0 4                 | one whole core
            -                     | 3     | 0 1 4               | one whole core and a first thread
            0 1 4                 | 2     | 2 6                 | a whole core
            0 1 4                 | 5     | 2 3 5 6 7           | the sibling that was left comes last
            0 1 2 3               | 2     | 4 5                 | nothing but siblings is left
            0 1 2                 | 3     | 3 4 7               | the whole core that is left, and one sibling
            0 1 2 3 4 5 6         | 1     | 7                   | the last
            0 1 2 3 4 5 6 7       | 0     | -                   | none is asked for
            -                     | 8     | 0 1 2 3 4 5 6 7     | all
            """)
    void wholeCoresFirst(String taken, int asked, String cores, String because) {
        assertThat(CpuChoice.of(SMALL, Set.copyOf(numbers(taken)), asked, List.of()))
                .as(because)
                .contains(numbers(cores));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            # taken    | near             | asked | cores             | because
            -          | -                | 2     | 0 8               | the first node, where none is near
            -          | 4 5 6 7          | 2     | 4 12              | the near node
            -          | 6 14             | 2     | 6 14              | on the near node the cores that are near
            -          | 0 1 4 5 6        | 2     | 4 12              | the node that is near most often
            -          | 99               | 2     | 0 8               | a core that may not be allocated says nothing
            4 5 6      | 4 5 6 7          | 4     | 0 1 8 9           | one node beats a part of the near one
            4 5        | 4 5 6 7          | 4     | 6 7 14 15         | the near one has just enough
            0 1 2 4 5  | 4 5 6 7          | 6     | 3 6 7 11 14 15    | no node has enough: all of the near one first
            0          | -                | 2     | 1 9               | the node with the least to spare
            0          | -                | 8     | 4 5 6 7 12 13 14 15 | the node that is whole
            4 5 6 7    | 4                | 2     | 0 8               | whole cores far away beat siblings nearby
            """)
    void oneNodeAndTheNearOne(String taken, String near, int asked, String cores, String because) {
        assertThat(CpuChoice.of(TWO_NODES, Set.copyOf(numbers(taken)), asked, numbers(near)))
                .as(because)
                .contains(numbers(cores));
    }

    @ParameterizedTest
    @CsvSource({"SMALL, 9", "NONE, 1"})
    void noMoreThanThereAre(String machine, int asked) {
        CpuTopology all = machine.equals("SMALL") ? SMALL : CpuTopology.NONE;
        assertThat(CpuChoice.of(all, Set.of(), asked, List.of())).isEmpty();
        assertThat(CpuChoice.free(all, Set.of(0, 1))).isEqualTo(Math.max(0, asked - 3));
    }

    static IntStream seeds() {
        return IntStream.rangeClosed(1, 200);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theRulesHoldOnAnyMachineWhateverIsTaken(int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        CpuTopology all = machine(random);
        List<List<Integer>> jobs = new ArrayList<>();
        for (int step = 0; step < 60; step++) {
            if (!jobs.isEmpty() && random.nextInt(3) == 0) {
                jobs.remove(random.nextInt(jobs.size()));
            }
            Set<Integer> taken = jobs.stream().flatMap(List::stream).collect(Collectors.toSet());
            List<Integer> near = random.nextBoolean() ? List.of() : List.of(random.nextInt(16), random.nextInt(16));
            int asked = 1 + random.nextInt(6);
            Choice choice = new Choice(all, taken, asked, near);
            choice.check();
            choice.cores().ifPresent(jobs::add);
        }
    }

    /** One choice, held against the rules. */
    private record Choice(CpuTopology all, Set<Integer> taken, int asked, List<Integer> near) {
        Optional<List<Integer>> cores() {
            return CpuChoice.of(all, taken, asked, near);
        }

        void check() {
            assertThat(cores().isPresent()).as("there are enough for %s", this).isEqualTo(free().size() >= asked);
            assertThat(cores()).as("the same again").isEqualTo(cores());
            cores().ifPresent(this::check);
        }

        private void check(List<Integer> cores) {
            assertThat(cores).hasSize(asked).doesNotHaveDuplicates().isSorted();
            assertThat(cores).noneMatch(taken::contains).isSubsetOf(ids(all.cpus()));
            List<Cpu> chosen =
                    all.cpus().stream().filter(cpu -> cores.contains(cpu.id())).toList();
            List<Cpu> whole = untouched();
            long siblings = chosen.stream().filter(cpu -> !whole.contains(cpu)).count();
            assertThat(siblings)
                    .as("siblings of other jobs' cores in %s for %s", cores, this)
                    .isEqualTo(Math.max(0, asked - whole.size()));
            assertThat(split(chosen))
                    .as("cores left in two by %s for %s", cores, this)
                    .isLessThanOrEqualTo(1);
            checkNodes(chosen, whole);
        }

        private void checkNodes(List<Cpu> chosen, List<Cpu> whole) {
            Set<Integer> nodes = chosen.stream().map(Cpu::node).collect(Collectors.toSet());
            Set<Integer> enough =
                    whole.stream().collect(Collectors.groupingBy(Cpu::node, Collectors.counting())).entrySet().stream()
                            .filter(room -> room.getValue() >= asked)
                            .map(Map.Entry::getKey)
                            .collect(Collectors.toSet());
            if (!enough.isEmpty()) {
                assertThat(nodes).as("nodes for %s", this).hasSize(1).isSubsetOf(enough);
                long best = enough.stream().mapToLong(this::nearness).max().orElseThrow();
                assertThat(nodes).allMatch(node -> nearness(node) == best);
            }
        }

        private long nearness(int node) {
            return near.stream()
                    .filter(id -> all.cpus().stream().anyMatch(cpu -> cpu.id() == id && cpu.node() == node))
                    .count();
        }

        private List<Cpu> free() {
            return all.cpus().stream().filter(cpu -> !taken.contains(cpu.id())).toList();
        }

        private List<Cpu> untouched() {
            Set<Integer> touched = all.cpus().stream()
                    .filter(cpu -> taken.contains(cpu.id()))
                    .map(Cpu::core)
                    .collect(Collectors.toSet());
            return all.cpus().stream()
                    .filter(cpu -> !touched.contains(cpu.core()))
                    .toList();
        }

        /** How many untouched cores the choice takes a part of only. */
        private long split(List<Cpu> chosen) {
            return untouched().stream().collect(Collectors.groupingBy(Cpu::core)).values().stream()
                    .filter(threads -> threads.stream().anyMatch(chosen::contains) && !chosen.containsAll(threads))
                    .count();
        }

        private static List<Integer> ids(List<Cpu> cpus) {
            return cpus.stream().map(Cpu::id).toList();
        }
    }

    /** One to three nodes, cores of one to three threads, some of them missing. */
    private static CpuTopology machine(SplittableRandom random) {
        List<Cpu> cpus = new ArrayList<>();
        Map<Integer, Integer> nodes = new LinkedHashMap<>();
        Set<Integer> ids = new HashSet<>();
        int count = 1 + random.nextInt(8);
        for (int core = 0; core < count; core++) {
            nodes.put(core, random.nextInt(3));
            for (int thread = 0; thread < 1 + random.nextInt(3); thread++) {
                int id = random.nextInt(64);
                if (ids.add(id)) {
                    cpus.add(new Cpu(id, core, nodes.getOrDefault(core, 0)));
                }
            }
        }
        cpus.sort(Comparator.comparingInt(Cpu::id));
        return new CpuTopology(cpus);
    }

    private static CpuTopology smt(int nodes, int coresANode) {
        int cores = nodes * coresANode;
        return new CpuTopology(IntStream.range(0, 2 * cores)
                .mapToObj(id -> new Cpu(id, id % cores, id % cores / coresANode))
                .toList());
    }

    private static List<Integer> numbers(@Nullable String text) {
        return text == null
                ? List.of()
                : Arrays.stream(text.split(" ")).map(Integer::valueOf).toList();
    }
}
