package dev.berth.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The account of arrays: each thing that must not be is seen where it is, and only there. */
class ArrayLawsTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long ARRAY = 42;
    private static final long BEGIN = System.nanoTime() - 10 * SECOND;
    private static final Wish.Tasks TWO_AT_ONCE = new Wish.Tasks(3, 2);
    private static final Ledger.Entry LEFT_ALONE = entry(TWO_AT_ONCE, false, OptionalLong.empty());

    private final Violations violations = new Violations();

    private static Ledger.Entry entry(Wish.Tasks tasks, boolean cancelTried, OptionalLong cancelled) {
        Wish wish = LawsTest.wish(7, 0, "", tasks, Wish.Retries.NONE);
        return new Ledger.Entry(wish, OptionalLong.empty(), OptionalLong.of(ARRAY), cancelTried, cancelled);
    }

    /** One that began so long after the first task could. */
    private static Case task(Ledger.Entry entry, int index, String state, double seconds) {
        String number = ARRAY + "_" + index;
        ObjectNode view = LawsTest.view(ARRAY + 1 + index, state, 0)
                .put("number", number)
                .put("arrayId", ARRAY)
                .put("taskIndex", index);
        Notes start = LawsTest.notes(number, 1, BEGIN + (long) (seconds * SECOND));
        return new Case(entry, view, List.of(start), 0, List.of());
    }

    /** Two that run at once and one behind them, which ends in this state. */
    private static List<Case> tasks(Ledger.Entry entry, String last) {
        return List.of(task(entry, 0, "COMPLETED", 0), task(entry, 1, "COMPLETED", 0.5), task(entry, 2, last, 1.2));
    }

    private static ArrayCase array(Ledger.Entry entry, String state, List<Case> tasks) {
        ObjectNode view =
                LawsTest.view(ARRAY, state, 0).put("endedAt", Instant.now().toString());
        ArrayCase array = new ArrayCase(entry, view, tasks);
        ObjectNode told = view.putObject("tasks").put("count", tasks.size()).putObject("states");
        array.states().forEach((each, count) -> told.put(each, count));
        return array;
    }

    private void hold(ArrayCase array) {
        new ArrayLaws(violations).hold(array);
    }

    private void assertBroken(ChaosLaw law) {
        assertThat(violations.sentences()).isNotEmpty().allMatch(sentence -> sentence.startsWith(law.name()));
    }

    @Test
    void anArrayThatKeepsToItsThrottleAndEndsAsItsTasksDidBreaksNothing() {
        hold(array(LEFT_ALONE, "COMPLETED", tasks(LEFT_ALONE, "COMPLETED")));
        hold(array(LEFT_ALONE, "FAILED", tasks(LEFT_ALONE, "LOST")));
        new StartLaws(violations).hold(task(LEFT_ALONE, 2, "COMPLETED", 0));
        new EndLaws(violations).hold(task(LEFT_ALONE, 2, "COMPLETED", 0));
        assertThat(violations.sentences()).isEmpty();
    }

    @Test
    void aTaskBesideAsManyAsTheThrottleLetsIsSeen() {
        List<Case> three = List.of(
                task(LEFT_ALONE, 0, "COMPLETED", 0),
                task(LEFT_ALONE, 1, "COMPLETED", 0.5),
                task(LEFT_ALONE, 2, "COMPLETED", 0.9));
        hold(array(LEFT_ALONE, "COMPLETED", three));
        assertBroken(ChaosLaw.THROTTLE);
        assertThat(violations.count(ChaosLaw.THROTTLE)).isEqualTo(1);

        Ledger.Entry unthrottled = entry(new Wish.Tasks(3, 0), false, OptionalLong.empty());
        hold(array(unthrottled, "COMPLETED", three));
        assertThat(violations.count(ChaosLaw.THROTTLE)).isEqualTo(1);
    }

    @Test
    void anArrayThatNeverEndsIsSeen() {
        hold(array(LEFT_ALONE, "RUNNING", tasks(LEFT_ALONE, "COMPLETED")));
        assertBroken(ChaosLaw.ARRAY_END);
    }

    @Test
    void anArrayThatEndsBeforeATaskIsSeen() {
        hold(array(LEFT_ALONE, "FAILED", tasks(LEFT_ALONE, "RUNNING")));
        assertBroken(ChaosLaw.ARRAY_END);
        assertThat(violations.count(ChaosLaw.ARRAY_END)).isEqualTo(1);

        List<Case> tasks = List.of(
                task(LEFT_ALONE, 0, "COMPLETED", 0),
                task(LEFT_ALONE, 1, "COMPLETED", 0.5),
                task(LEFT_ALONE, 2, "COMPLETED", 60));
        hold(array(LEFT_ALONE, "COMPLETED", tasks));
        assertThat(violations.count(ChaosLaw.ARRAY_END)).isEqualTo(2);
    }

    @Test
    void anArrayThatEndsOtherwiseThanItsTasksSayIsSeen() {
        hold(array(LEFT_ALONE, "COMPLETED", tasks(LEFT_ALONE, "FAILED")));
        hold(array(LEFT_ALONE, "FAILED", tasks(LEFT_ALONE, "COMPLETED")));
        hold(array(LEFT_ALONE, "FAILED", tasks(LEFT_ALONE, "CANCELLED")));
        hold(array(LEFT_ALONE, "CANCELLED", tasks(LEFT_ALONE, "FAILED")));
        assertBroken(ChaosLaw.ARRAY_END);
        assertThat(violations.count(ChaosLaw.ARRAY_END)).isEqualTo(4);
    }

    @Test
    void anArrayThatCountsItsTasksOtherwiseThanTheyEndedIsSeen() {
        ArrayCase array = array(LEFT_ALONE, "FAILED", tasks(LEFT_ALONE, "FAILED"));
        hold(new ArrayCase(LEFT_ALONE, array.view(), tasks(LEFT_ALONE, "LOST")));
        hold(array(LEFT_ALONE, "COMPLETED", tasks(LEFT_ALONE, "COMPLETED").subList(0, 2)));
        assertBroken(ChaosLaw.ARRAY_END);
        assertThat(violations.count(ChaosLaw.ARRAY_END)).isEqualTo(2);
    }

    @Test
    void aCancelledArrayIsSoWhateverItsTasksDidAndOnlyWhereSomebodyCancelled() {
        Ledger.Entry tried = entry(TWO_AT_ONCE, true, OptionalLong.empty());
        hold(array(tried, "CANCELLED", tasks(tried, "FAILED")));
        hold(array(tried, "FAILED", tasks(tried, "FAILED")));
        assertThat(violations.sentences()).isEmpty();

        Ledger.Entry acknowledged = entry(TWO_AT_ONCE, true, OptionalLong.of(BEGIN));
        hold(array(acknowledged, "FAILED", tasks(acknowledged, "FAILED")));
        assertBroken(ChaosLaw.ARRAY_END);
    }

    @Test
    void aTaskThatOutlivesTheCancelOfItsArrayIsSeenAndOneThatHadEndedIsNone() {
        long ended = Case.monotonic("1970-01-01T00:01:40.2Z");
        Ledger.Entry later = entry(TWO_AT_ONCE, true, OptionalLong.of(ended + SECOND));
        new EndLaws(violations).hold(task(later, 0, "COMPLETED", 0));
        assertThat(violations.sentences()).isEmpty();

        Ledger.Entry before = entry(TWO_AT_ONCE, true, OptionalLong.of(ended - SECOND));
        new EndLaws(violations).hold(task(before, 0, "CANCELLED", 0));
        assertThat(violations.sentences()).isEmpty();
        new EndLaws(violations).hold(task(before, 0, "COMPLETED", 0));
        assertBroken(ChaosLaw.JOB_LOST);
    }

    @Test
    void aTaskThatRunsUnderAnotherNumberIsSeen() {
        Case task = task(LEFT_ALONE, 1, "COMPLETED", 0);
        new StartLaws(violations)
                .hold(new Case(
                        LEFT_ALONE,
                        task.view(),
                        task(LEFT_ALONE, 2, "COMPLETED", 0).starts(),
                        0,
                        List.of()));
        assertBroken(ChaosLaw.STARTED_TWICE);
    }

    @Test
    void aProgramThatNobodyWantedIsSeen() {
        Wish array = LEFT_ALONE.wish();
        new StartLaws(violations).holdRecords(List.of("7_0", "7_2"), List.of(array));
        assertThat(violations.sentences()).isEmpty();

        new StartLaws(violations).holdRecords(List.of("7", "7_3"), List.of(array));
        assertBroken(ChaosLaw.STARTED_TWICE);
        assertThat(violations.count(ChaosLaw.STARTED_TWICE)).isEqualTo(2);
    }

    @Test
    void aJobThatStartsBeforeTheLastTaskOfTheArrayThatItWaitsForHasEndedIsSeen() {
        ArrayCase array = array(LEFT_ALONE, "COMPLETED", tasks(LEFT_ALONE, "COMPLETED"));
        new StartLaws(violations).holdDependencies(List.of(waiting(2.3)), List.of(array));
        assertThat(violations.sentences()).isEmpty();

        new StartLaws(violations).holdDependencies(List.of(waiting(2)), List.of(array));
        assertBroken(ChaosLaw.NOT_READY);
    }

    private static Case waiting(double seconds) {
        Wish wish = LawsTest.wish(8, 0, "afterok", Wish.Tasks.NONE, Wish.Retries.NONE);
        Ledger.Entry entry =
                new Ledger.Entry(wish, OptionalLong.of(ARRAY), OptionalLong.of(50), false, OptionalLong.empty());
        Notes start = LawsTest.notes("50", 1, BEGIN + (long) (seconds * SECOND));
        return new Case(entry, LawsTest.view(50, "COMPLETED", 0), List.of(start), 0, List.of());
    }

    @Test
    void anOvertakenTaskIsSeenUnlessItsArrayIsThrottled() {
        new StartLaws(violations)
                .holdOrder(List.of(task(LEFT_ALONE, 1, "COMPLETED", 5), task(LEFT_ALONE, 2, "COMPLETED", 0)));
        assertThat(violations.sentences()).isEmpty();

        Ledger.Entry unthrottled = entry(new Wish.Tasks(3, 0), false, OptionalLong.empty());
        new StartLaws(violations)
                .holdOrder(List.of(task(unthrottled, 1, "COMPLETED", 5), task(unthrottled, 2, "COMPLETED", 0)));
        assertBroken(ChaosLaw.OVERTAKEN);
    }
}
