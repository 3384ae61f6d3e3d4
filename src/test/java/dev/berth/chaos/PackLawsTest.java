package dev.berth.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.berth.chaos.Notes.Container;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The account of packs: each thing that must not be is seen where it is, and only there. */
class PackLawsTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long ARRAY = 42;
    private static final long BEGIN = System.nanoTime() - 10 * SECOND;

    /** Five tasks, of which four share a container, two at a time. */
    private static final Wish.Tasks FOUR = new Wish.Tasks(5, 0, 4, 2);

    private static final String PACK = "42_[0-3]";
    private static final long PACK_ID = ARRAY + 6;
    private static final Container IN_PACK = new Container(PACK, 7);
    private static final Container IN_LAST_PACK = new Container("42_[4]", 8);

    private final Violations violations = new Violations();

    private static Ledger.Entry entry() {
        Wish wish = LawsTest.wish(7, 0, "", FOUR, Wish.Retries.NONE);
        return new Ledger.Entry(wish, OptionalLong.empty(), OptionalLong.of(ARRAY), false, OptionalLong.empty());
    }

    private static Notes start(int index, int attempt, double seconds, Container container) {
        return LawsTest.notes(
                ARRAY + "_" + index, attempt, BEGIN + (long) (seconds * SECOND), OptionalInt.of(0), container);
    }

    private static Container alone(int index) {
        return new Container(ARRAY + "_" + index, 100 + index);
    }

    private static Case task(int index, String state, String pack, List<Struck> struck, Notes start) {
        ObjectNode view = LawsTest.view(ARRAY + 1 + index, state, 0)
                .put("number", ARRAY + "_" + index)
                .put("arrayId", ARRAY)
                .put("taskIndex", index)
                .put("attempt", start.attempt())
                .put("submittedAt", Instant.now().minusSeconds(30).toString());
        return new Case(entry(), pack.isEmpty() ? view : view.put("packNumber", pack), List.of(start), 0, struck);
    }

    private static Case packed(int index, double seconds) {
        return task(index, "COMPLETED", PACK, List.of(), start(index, 1, seconds, IN_PACK));
    }

    private static Struck removed(long job, double seconds) {
        long at = BEGIN + (long) (seconds * SECOND);
        return new Struck(Fault.CONTAINER_REMOVED, at, at, job);
    }

    private void hold(Case... jobs) {
        new PackLaws(violations).hold(List.of(jobs));
    }

    private void assertBroken(ChaosLaw law) {
        assertThat(violations.sentences()).isNotEmpty().allMatch(sentence -> sentence.startsWith(law.name()));
    }

    @Test
    void packsWhoseTasksRunTogetherBreakNothing() {
        Case last = task(4, "COMPLETED", "42_[4]", List.of(), start(4, 1, 0, IN_LAST_PACK));
        hold(packed(0, 0), packed(1, 0.5), packed(2, 1.2), packed(3, 1.7), last);
        assertThat(violations.sentences()).isEmpty();
    }

    @Test
    void moreTasksAtOnceThanMayRunInAPackAreSeen() {
        hold(packed(0, 0), packed(1, 0.5), packed(2, 0.9));
        assertBroken(ChaosLaw.PACK);
        assertThat(violations.count(ChaosLaw.PACK)).isEqualTo(1);
    }

    @Test
    void anotherInTheContainerOfAPackIsSeenWhateverItsEnvironmentSays() {
        Case intruder =
                task(4, "COMPLETED", "", List.of(removed(ARRAY + 7, -1)), start(4, 1, 0.5, new Container("42_4", 7)));
        hold(packed(0, 0), intruder);
        assertBroken(ChaosLaw.PACK);
        assertThat(violations.count(ChaosLaw.PACK)).isEqualTo(1);
    }

    @Test
    void aTaskInTheContainerOfAnotherPackIsSeen() {
        hold(task(4, "COMPLETED", "42_[4]", List.of(), start(4, 1, 0, IN_PACK)));
        assertBroken(ChaosLaw.PACK);
    }

    @Test
    void aSecondAttemptInAPackIsSeen() {
        hold(task(0, "COMPLETED", PACK, List.of(), start(0, 2, 0, IN_PACK)));
        assertBroken(ChaosLaw.PACK);
    }

    @Test
    void aPackThatRunsTwiceIsSeen() {
        hold(packed(0, 0), task(1, "COMPLETED", PACK, List.of(), start(1, 1, 3, new Container(PACK, 9))));
        assertBroken(ChaosLaw.PACK);
    }

    @Test
    void aTaskThatIsToldToHaveRunElsewhereThanItDidIsSeen() {
        hold(task(0, "COMPLETED", "", List.of(), start(0, 1, 0, IN_PACK)));
        hold(task(0, "COMPLETED", PACK, List.of(removed(PACK_ID, -1)), start(0, 1, 0, alone(0))));
        hold(task(0, "COMPLETED", "42_[4]", List.of(), start(0, 1, 0, IN_PACK)));
        assertBroken(ChaosLaw.PACK);
        assertThat(violations.count(ChaosLaw.PACK)).isEqualTo(3);
    }

    @Test
    void aTaskRunsAloneBehindAPackThatWasEndedAndNotOtherwise() {
        Notes behind = start(1, 1, 2, alone(1));
        hold(packed(0, 0), task(1, "COMPLETED", "", List.of(removed(PACK_ID, 1)), behind));
        assertThat(violations.sentences()).isEmpty();

        hold(packed(0, 0), task(1, "COMPLETED", "", List.of(), behind));
        hold(packed(0, 0), task(1, "COMPLETED", "", List.of(removed(PACK_ID + 1, 1)), behind));
        hold(packed(0, 0), task(1, "COMPLETED", "", List.of(removed(PACK_ID, 3)), behind));
        assertBroken(ChaosLaw.PACK);
        assertThat(violations.count(ChaosLaw.PACK)).isEqualTo(3);
    }

    /** The answer to the start was lost with the connection, so that nobody knows whether the pack has begun. */
    @Test
    void aTaskRunsAloneBehindAPackWhoseStartWasLost() {
        Notes behind = start(1, 2, 2, alone(1));
        Struck cut = new Struck(Fault.ENGINE_CUT_OFF, BEGIN, BEGIN + SECOND, 0);
        hold(task(1, "COMPLETED", "", List.of(cut), behind));
        assertThat(violations.sentences()).isEmpty();

        Struck before = new Struck(Fault.ENGINE_CUT_OFF, BEGIN - 20 * SECOND, BEGIN - 19 * SECOND, 0);
        hold(packed(0, 0), task(1, "COMPLETED", "", List.of(before), behind));
        assertThat(violations.count(ChaosLaw.PACK)).isEqualTo(1);

        Struck clients = new Struck(Fault.CLIENTS_CUT_OFF, BEGIN, BEGIN + SECOND, 0);
        hold(task(1, "COMPLETED", "", List.of(clients), behind));
        assertThat(violations.count(ChaosLaw.PACK)).isEqualTo(2);
    }

    @Test
    void aTaskThatRunsAloneBesideItsPackIsSeen() {
        hold(packed(0, 0), task(1, "COMPLETED", "", List.of(removed(PACK_ID, 0.2)), start(1, 1, 0.5, alone(1))));
        assertBroken(ChaosLaw.PACK);
    }

    @Test
    void aTaskIsLostWithItsPackAlsoAsItEndsAndNotOtherwise() {
        Notes start = start(0, 1, 0, IN_PACK);
        new EndLaws(violations).hold(task(0, "LOST", PACK, List.of(removed(PACK_ID, 1)), start));
        assertThat(violations.sentences()).isEmpty();

        new EndLaws(violations).hold(task(0, "LOST", PACK, List.of(removed(PACK_ID, 2.5)), start));
        new EndLaws(violations).hold(task(0, "LOST", PACK, List.of(removed(ARRAY + 1, 1)), start));
        new EndLaws(violations).hold(task(0, "LOST", PACK, List.of(), start));
        assertBroken(ChaosLaw.JOB_LOST);
        assertThat(violations.count(ChaosLaw.JOB_LOST)).isEqualTo(3);
    }

    @Test
    void aKilledDaemonTakesNoLineOfAPackWithIt() {
        Struck kill = new Struck(Fault.ENGINE_KILLED_KEEPING, BEGIN + SECOND / 2, BEGIN + SECOND, 0);
        List<String> few = LawsTest.log("out");
        few.subList(7, 9).clear();
        LogLaws logs = new LogLaws(violations);
        logs.hold(task(0, "COMPLETED", "", List.of(kill), start(0, 1, 0, alone(0))), "out", few);
        assertThat(violations.sentences()).isEmpty();

        logs.hold(task(0, "COMPLETED", PACK, List.of(kill), start(0, 1, 0, IN_PACK)), "out", few);
        assertBroken(ChaosLaw.LINE_MISSING);
        assertThat(violations.count(ChaosLaw.LINE_MISSING)).isEqualTo(1);

        Struck away = new Struck(Fault.ENGINE_STOPPED_KEEPING, BEGIN + SECOND / 2, BEGIN + 2 * SECOND, 0);
        List<String> unseen = LawsTest.log("out").subList(0, 20);
        unseen.add(LawsTest.ENDED_UNSEEN);
        logs.hold(task(0, "COMPLETED", "", List.of(away), start(0, 1, 0, alone(0))), "out", unseen);
        assertThat(violations.count(ChaosLaw.LINE_MISSING)).isEqualTo(1);
        logs.hold(task(0, "COMPLETED", PACK, List.of(away), start(0, 1, 0, IN_PACK)), "out", unseen);
        assertThat(violations.count(ChaosLaw.LINE_MISSING)).isEqualTo(2);
    }
}
