package dev.berth.server.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Shows that the net is not torn: Berth with a bug in it does not get through the simulation. Each bug is real source
 * text that is replaced before it is compiled, so a list that no longer fits the source fails.
 */
class PlantedBugsTest {
    /** Each bug is to be found by one of so many days. */
    private static final int SEEDS = Integer.getInteger("berth.simulation.planted.seeds", 2_000);

    private static final int STEPS = 400;

    private static final Map<PlantedBug, Future<String>> RESULTS = new LinkedHashMap<>();

    private static ExecutorService players;

    static List<PlantedBug> bugs() {
        return PlantedBugs.ALL;
    }

    @BeforeAll
    static void play() {
        players = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
        bugs().forEach(bug -> RESULTS.put(bug, players.submit(() -> BugLab.play(bug, SEEDS, STEPS))));
    }

    @AfterAll
    static void end() {
        players.shutdownNow();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("bugs")
    void isCaught(PlantedBug bug) throws Exception {
        String caught = RESULTS.get(bug).get();
        assertThat(caught).as("%s: what %d days found", bug, SEEDS).isNotEmpty();
        String elsewhere = caught.startsWith(bug.likelySeed() + " ")
                ? ""
                : " (not by its likely seed " + bug.likelySeed() + ": to search took long)";
        System.out.printf(
                "planted: %-60s seed %s%s%n", bug, caught.lines().findFirst().orElse(""), elsewhere);
    }

    @Test
    void aListThatDoesNotFitTheSourceFails() {
        PlantedBug stale = PlantedBug.of("stale", "dev.berth.core.machine.Scheduler", "no such text", "");
        assertThatThrownBy(() -> BugLab.play(stale, 1, 1)).hasMessageContaining("the list is stale");
    }
}
