package dev.berth.core.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.berth.core.sweep.SweepValue.Section;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Order, number and names of runs over random expansions, and what is inherited. */
class SweepTest {
    /** The settings that a step makes of one configuration, in the order that the language says. */
    private record Drawn(String key, Section content, List<Map<String, Object>> choices) {}

    private static LongStream seeds() {
        return LongStream.range(0, 200);
    }

    /** A step over parameters of its own, each with distinct values. */
    private static Drawn step(SplittableRandom random, int number) {
        String kind = List.of("grid", "list", "ablative").get(random.nextInt(3));
        int parameters = 1 + random.nextInt(3);
        int length = 1 + random.nextInt(3);
        Map<String, List<Object>> values = new LinkedHashMap<>();
        for (int each = 0; each < parameters; each++) {
            int size = kind.equals("list") ? length : 1 + random.nextInt(3);
            String name = "" + (char) ('a' + number * 3 + each);
            values.put(name, new ArrayList<>(IntStream.range(0, size).boxed().toList()));
        }
        Object[] content = values.entrySet().stream()
                .flatMap(entry -> List.of(entry.getKey(), entry.getValue()).stream())
                .toArray();
        return new Drawn(kind + number, Values.map(content), choices(kind, values, length));
    }

    private static List<Map<String, Object>> choices(String kind, Map<String, List<Object>> values, int length) {
        List<Map<String, Object>> choices = new ArrayList<>();
        switch (kind) {
            case "list" -> {
                for (int at = 0; at < length; at++) {
                    Map<String, Object> choice = new LinkedHashMap<>();
                    for (Map.Entry<String, List<Object>> each : values.entrySet()) {
                        choice.put(each.getKey(), each.getValue().get(at));
                    }
                    choices.add(choice);
                }
            }
            case "ablative" -> values.forEach((name, list) -> list.forEach(value -> choices.add(Map.of(name, value))));
            default -> {
                choices.add(Map.of());
                values.forEach((name, list) -> {
                    List<Map<String, Object>> longer = new ArrayList<>();
                    for (Map<String, Object> before : choices) {
                        for (Object value : list) {
                            Map<String, Object> choice = new LinkedHashMap<>(before);
                            choice.put(name, value);
                            longer.add(choice);
                        }
                    }
                    choices.clear();
                    choices.addAll(longer);
                });
            }
        }
        return choices;
    }

    /** The choices of all steps, the later ones faster. */
    private static void nested(List<Drawn> steps, Map<String, Object> before, List<Map<String, Object>> all) {
        if (steps.isEmpty()) {
            all.add(before);
            return;
        }
        for (Map<String, Object> choice : steps.getFirst().choices) {
            Map<String, Object> longer = new LinkedHashMap<>(before);
            longer.putAll(choice);
            nested(steps.subList(1, steps.size()), longer, all);
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void everyChoiceIsARunInItsPlace(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Drawn> steps = IntStream.range(0, random.nextInt(4))
                .mapToObj(number -> step(random, number))
                .toList();
        int repetitions = 1 + random.nextInt(3);
        List<Object> content = new ArrayList<>(List.of("name", "e", "path", "out", "repetitions", repetitions));
        steps.forEach(step -> content.addAll(List.of(step.key, step.content)));

        List<SweepRun> runs = Values.runs(Values.map(content.toArray()));

        List<Map<String, Object>> expected = new ArrayList<>();
        nested(steps, Map.of(), expected);
        assertThat(runs).hasSize(expected.size() * repetitions);
        Set<String> names = new HashSet<>();
        Set<String> directories = new HashSet<>();
        for (SweepRun run : runs) {
            Map<String, Object> params = new LinkedHashMap<>();
            expected.get(run.number() / repetitions)
                    .forEach((key, value) -> params.put(key, ((Integer) value).longValue()));
            assertThat(run.params()).isEqualTo(params);
            assertThat(run.repetition()).isEqualTo(run.number() % repetitions);
            names.add(run.name());
            directories.add(run.directory());
        }
        assertThat(names).hasSize(expected.size());
        assertThat(directories).hasSize(runs.size());
    }

    @Test
    void runsAreCountedBeforeTheyAreMade() {
        List<Object> content = new ArrayList<>(List.of("name", "e", "path", "out", "repetitions", 1));
        List<Integer> values = IntStream.range(0, 100).boxed().toList();
        for (int each = 0; each < 12; each++) {
            content.addAll(List.of("grid" + each, Values.map("a" + each, values)));
        }
        assertThatExceptionOfType(SweepRefusal.class)
                .isThrownBy(() -> Values.runs(Values.map(content.toArray())))
                .withMessageEndingWith(" x 1 (repetitions) = more than 10^18 runs, and a sweep may have 100000");
    }

    @ParameterizedTest
    @CsvSource({"50000, true", "50001, false"})
    void asManyRunsAsThereMayBe(int values, boolean isTaken) {
        Section document = Values.map(
                "name",
                "e",
                "path",
                "out",
                "repetitions",
                2,
                "grid",
                Values.map("a", IntStream.range(0, values).boxed().toList()));
        if (isTaken) {
            assertThat(Values.runs(document)).hasSize(100_000);
        } else {
            assertThatExceptionOfType(SweepRefusal.class)
                    .isThrownBy(() -> Values.runs(document))
                    .withMessage("sweep.yml:1: experiment 'e' has 50001 (grid) x 2 (repetitions) = 100002 runs, and a"
                            + " sweep may have 100000");
        }
    }

    @Test
    void parentsAreMergedWithTheirOwnDefaultsAndTheChildCountsMost() {
        Section child = Values.map(
                "name",
                "child",
                "import_path",
                "p",
                "import_exp",
                "base",
                "params",
                Values.map("a", 1, "net", Values.map("x", 1)));
        SweepFile parent = Values.file(
                "p.yml",
                Values.map(
                        "name",
                        "Default",
                        "path",
                        "theirs",
                        "repetitions",
                        3,
                        "params",
                        Values.map("b", 2, "net", Values.map("y", 2))),
                Values.map("name", "base", "params", Values.map("a", 9, "b", 3, "net", Values.map("x", 9))));
        List<SweepRun> runs = Sweep.runs(Values.file("c.yml", child), List.of(), (_, _, _) -> parent);
        assertThat(runs).hasSize(3);
        assertThat(runs.getFirst().params()).hasToString("{b=3, net={y=2, x=1}, a=1}");
        assertThat(runs.getLast().directory()).isEqualTo("theirs/child/log/rep_02");
    }

    @Test
    void eachExperimentIsInheritedByItself() {
        SweepFile file = Values.file(
                "c.yml",
                Values.map("name", "DEFAULT", "path", "o", "repetitions", 1),
                Values.map("name", "a", "import_exp", "b"),
                Values.map("name", "b", "import_exp", "c"),
                Values.map("name", "c", "params", Values.map("x", 1)));
        List<SweepRun> runs = Sweep.runs(file, List.of(), (_, _, _) -> file);
        assertThat(runs).extracting(SweepRun::experiment).containsExactly("a", "b", "c");
        assertThat(runs).extracting(run -> run.params().get("x")).containsOnly(1L);
    }

    @Test
    void circlesOfAnyLengthAreNamed() {
        SweepFile file = Values.file(
                "c.yml",
                Values.map("name", "a", "import_exp", "b"),
                Values.map("name", "b", "import_exp", "c"),
                Values.map("name", "c", "import_exp", "b"));
        assertThatExceptionOfType(SweepRefusal.class)
                .isThrownBy(() -> Sweep.runs(file, List.of("a"), (_, _, _) -> file))
                .withMessage("sweep.yml:1: these import each other: c.yml (b) imports c.yml (c) imports c.yml (b)");
    }
}
