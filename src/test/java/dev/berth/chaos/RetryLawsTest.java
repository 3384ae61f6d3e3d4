package dev.berth.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.berth.chaos.Wish.Retries;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The account of retries: each thing that must not be is seen where it is, and only there. */
class RetryLawsTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int CODE = 3;
    private static final Retries TWICE = new Retries(2, 1, false, Integer.MAX_VALUE);
    private static final Retries TWICE_ENOUGH = new Retries(2, 1, false, 1);
    private static final Notes FIRST = start(1, 0, CODE);
    private static final Notes SECOND_TRY = start(2, 2.5, CODE + 1);
    private static final Notes LAST = start(3, 5, CODE + 2);

    private final Violations violations = new Violations();

    private static Notes start(int attempt, double seconds, int code) {
        return LawsTest.notes(
                "1", attempt, (long) (seconds * SECOND), OptionalInt.of(code), new Notes.Container("1", attempt));
    }

    private static ObjectNode view(String state, int attempt, int exitCode, ObjectNode... earlier) {
        ObjectNode view = LawsTest.view(1, state, exitCode)
                .put("attempt", attempt)
                .put("reason", state.equals("FAILED") ? "EXITED_NONZERO" : "EXITED");
        ArrayNode attempts = view.putArray("earlierAttempts");
        List.of(earlier).forEach(attempts::add);
        return view;
    }

    private static ObjectNode failed(int attempt, int exitCode) {
        return view("FAILED", attempt, exitCode).put("retried", true);
    }

    private static ObjectNode failedThrice() {
        return view("FAILED", 3, CODE + 2, failed(1, CODE), failed(2, CODE + 1));
    }

    private void hold(Retries retries, ObjectNode view, Notes... starts) {
        hold(retries, List.of(), view, starts);
    }

    private void hold(Retries retries, List<Struck> struck, ObjectNode view, Notes... starts) {
        Wish wish = LawsTest.wish(1, CODE, "", Wish.Tasks.NONE, retries);
        Ledger.Entry entry =
                new Ledger.Entry(wish, OptionalLong.empty(), OptionalLong.of(1), false, OptionalLong.empty());
        Case job = new Case(entry, view, List.of(starts), 0, struck);
        new RetryLaws(violations).hold(job);
        new StartLaws(violations).hold(job);
        new EndLaws(violations).hold(job);
    }

    private void assertBroken(ChaosLaw law) {
        assertThat(violations.sentences()).isNotEmpty().allMatch(sentence -> sentence.startsWith(law.name()));
    }

    @Test
    void aJobThatIsTriedAsOftenAsAskedOrUntilItSucceedsBreaksNothing() {
        hold(TWICE, failedThrice().put("endedAt", "1970-01-01T00:01:40.2Z"), FIRST, SECOND_TRY, LAST);
        hold(TWICE_ENOUGH, view("COMPLETED", 2, 0, failed(1, CODE)), FIRST, start(2, 2.5, 0));
        hold(Retries.NONE, view("FAILED", 1, CODE), FIRST);
        assertThat(violations.sentences()).isEmpty();
    }

    @Test
    void aRetryThatIsNotMadeIsSeen() {
        hold(TWICE, view("FAILED", 2, CODE + 1, failed(1, CODE)), FIRST, SECOND_TRY);
        assertBroken(ChaosLaw.RETRY);
    }

    @Test
    void aRetryThatNobodyAskedForIsSeen() {
        hold(Retries.NONE, view("FAILED", 2, CODE + 1, failed(1, CODE)), FIRST, SECOND_TRY);
        assertBroken(ChaosLaw.RETRY);
    }

    @Test
    void aStartThatIsNoRetryIsSeen() {
        hold(TWICE_ENOUGH, view("COMPLETED", 2, 0), FIRST, start(2, 2.5, 0));
        assertThat(violations.count(ChaosLaw.STARTED_TWICE)).isEqualTo(2);
        assertThat(violations.count(ChaosLaw.RETRY)).as("not told of").isEqualTo(1);

        hold(Retries.NONE, view("FAILED", 2, CODE + 1), SECOND_TRY);
        assertThat(violations.count(ChaosLaw.STARTED_TWICE)).isEqualTo(3);
    }

    @Test
    void aRetryBehindAnotherEndThanAFailureIsSeen() {
        ObjectNode completed = view("COMPLETED", 1, CODE).put("retried", true);
        hold(TWICE_ENOUGH, view("COMPLETED", 2, 0, completed), FIRST, start(2, 2.5, 0));
        ObjectNode timeout = view("TIMEOUT", 1, CODE).put("retried", true);
        hold(TWICE_ENOUGH, view("COMPLETED", 2, 0, timeout), FIRST, start(2, 2.5, 0));
        assertBroken(ChaosLaw.RETRY);
        assertThat(violations.count(ChaosLaw.RETRY)).isEqualTo(2);
    }

    @Test
    void anEndOfAnEarlierAttemptThatIsNotItsProgramsIsSeenUnlessItWasKilled() {
        ObjectNode otherwise = view("COMPLETED", 2, 0, failed(1, 137));
        Struck kill = new Struck(Fault.PROGRAM_KILLED, SECOND / 2, SECOND / 2, 1);
        hold(TWICE_ENOUGH, List.of(kill), otherwise, FIRST, start(2, 2.5, 0));
        assertThat(violations.sentences()).isEmpty();

        hold(TWICE_ENOUGH, otherwise, FIRST, start(2, 2.5, 0));
        assertBroken(ChaosLaw.RETRY);
    }

    @Test
    void aRetryThatComesBeforeItsDelayIsSeen() {
        hold(TWICE_ENOUGH, view("COMPLETED", 2, 0, failed(1, CODE)), FIRST, start(2, 1.5, 0));
        assertBroken(ChaosLaw.RETRY);
    }

    @Test
    void aRetryBesideTheAttemptBeforeItIsSeen() {
        Retries atOnce = new Retries(2, 0, false, 1);
        hold(atOnce, view("COMPLETED", 2, 0, failed(1, CODE)), FIRST, start(2, 0.5, 0));
        assertThat(violations.count(ChaosLaw.STARTED_TWICE)).isEqualTo(1);
    }

    @Test
    void anEndThatIsThatOfAnEarlierAttemptIsSeen() {
        hold(TWICE, view("FAILED", 3, CODE, failed(1, CODE), failed(2, CODE + 1)), FIRST, SECOND_TRY, LAST);
        assertBroken(ChaosLaw.WRONG_END);
    }

    @Test
    void anAttemptThatDoesWhatAnotherShouldIsSeen() {
        hold(TWICE_ENOUGH, view("COMPLETED", 1, 0), start(1, 0, 0));
        assertBroken(ChaosLaw.WRONG_END);
    }
}
