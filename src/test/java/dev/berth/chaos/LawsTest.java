package dev.berth.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The account of a chaos run is no blind one: each thing that must not be is seen where it is, and only there. */
class LawsTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int LINES = 40;
    private static final Notes.Container ALONE = new Notes.Container("1", 1);
    static final String ENDED_UNSEEN =
            "[berth: the container engine may have been away when this program ended; what the program wrote last may be missing]";

    private final Violations violations = new Violations();

    private static Wish wish(boolean requeue, int code) {
        return new Wish(
                1,
                1,
                1_000,
                code,
                true,
                requeue,
                0,
                Wish.Steering.LEFT_ALONE,
                false,
                false,
                "",
                Wish.Tasks.NONE,
                Wish.Retries.NONE);
    }

    /** One of a GPU and a second that is left alone and not queued again where the machine loses it. */
    static Wish wish(int number, int code, String after, Wish.Tasks tasks, Wish.Retries retries) {
        return new Wish(
                number, 1, 1_000, code, true, false, 0, Wish.Steering.LEFT_ALONE, false, false, after, tasks, retries);
    }

    private static Notes notes(long job, int attempt, long begin) {
        return notes(Long.toString(job), attempt, begin);
    }

    /** It ran on GPU 0 for a second, long after any fault. */
    static Notes notes(String job, int attempt, long begin) {
        return notes(job, attempt, begin, OptionalInt.of(0), new Notes.Container(job, job.hashCode()));
    }

    /** The same with another end, in another container. */
    static Notes notes(String job, int attempt, long begin, OptionalInt code, Notes.Container container) {
        return new Notes(
                job,
                attempt,
                begin,
                Instant.EPOCH.plusSeconds(100).toEpochMilli() * 1_000_000,
                Set.of(0),
                Set.of(0),
                List.of(),
                List.of(new Notes.Point(begin, 0, 0), new Notes.Point(begin + SECOND, LINES, LINES)),
                code,
                false,
                1,
                container);
    }

    /** It runs now, and its end is not noted. */
    private static Notes cutShort() {
        Notes whole = notes(1, 1, System.nanoTime());
        return new Notes(
                "1",
                1,
                whole.begin(),
                whole.lastWall(),
                whole.granted(),
                whole.opened(),
                List.of(),
                whole.points(),
                OptionalInt.empty(),
                false,
                1,
                ALONE);
    }

    static ObjectNode view(long id, String state, int exitCode) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("id", id)
                .put("number", Long.toString(id))
                .put("state", state)
                .put("sentence", "it is over")
                .put("attempt", 1)
                .put("exitCode", exitCode)
                .put("submittedAt", "1970-01-01T00:01:39.1Z")
                .put("endedAt", "1970-01-01T00:01:40.2Z");
    }

    private static Case job(ObjectNode view, Wish wish, List<Struck> struck, Notes... starts) {
        return job(view, wish, 0, struck, starts);
    }

    private static Case job(ObjectNode view, Wish wish, int putOffs, List<Struck> struck, Notes... starts) {
        return new Case(
                new Ledger.Entry(wish, OptionalLong.empty(), OptionalLong.of(1), false, OptionalLong.empty()),
                view,
                List.of(starts),
                putOffs,
                List.copyOf(struck));
    }

    private static Case good() {
        return job(view(1, "COMPLETED", 0), wish(false, 0), List.of(), notes(1, 1, 0));
    }

    static List<String> log(String stream) {
        return new ArrayList<>(IntStream.rangeClosed(1, LINES)
                .mapToObj(line -> Written.line(stream + " 1 ", line, 1_000))
                .toList());
    }

    private void holdAll(Case job) {
        new EndLaws(violations).hold(job);
        new StartLaws(violations).hold(job);
    }

    private void assertBroken(ChaosLaw law) {
        assertThat(violations.sentences()).isNotEmpty().allMatch(sentence -> sentence.startsWith(law.name()));
    }

    @Test
    void aGoodJobBreaksNothing() {
        holdAll(good());
        new LogLaws(violations).hold(good(), "out", log("out"));
        new StartLaws(violations).holdOrder(List.of(good()));

        assertThat(violations.sentences()).isEmpty();
    }

    @Test
    void aSigtermThatComesBetweenTheNoteOfAnEndAndTheEndChangesNothing(@TempDir Path records) throws IOException {
        String note = "{'event': '%s', 'job': 1, 'attempt': 1, 'at': %d, 'wall': 1, 'out': 0, 'err': 0, 'code': 72}\n"
                .replace('\'', '"');
        Files.writeString(
                records.resolve("1"),
                note.formatted("begin", 1) + note.formatted("end", 2) + note.formatted("told", 3));
        Notes own = Notes.read(records, "1").getFirst();
        assertThat(own.code()).hasValue(72);
        assertThat(own.told()).isFalse();
        Files.writeString(
                records.resolve("2"),
                note.formatted("begin", 1) + note.formatted("told", 2) + note.formatted("end", 3));
        assertThat(Notes.read(records, "2").getFirst().told()).isTrue();
    }

    @Test
    void anotherExitCodeIsSeen() {
        holdAll(job(view(1, "FAILED", 1), wish(false, 0), List.of(), notes(1, 1, 0)));
        assertBroken(ChaosLaw.WRONG_END);
    }

    @Test
    void anotherTimeOfItsEndIsSeen() {
        ObjectNode late = view(1, "COMPLETED", 0).put("endedAt", "1970-01-01T00:02:00Z");
        holdAll(job(late, wish(false, 0), List.of(), notes(1, 1, 0)));
        assertBroken(ChaosLaw.WRONG_END);
    }

    @Test
    void aLossThatNobodyCausedIsSeen() {
        holdAll(job(view(1, "LOST", 0), wish(false, 0), List.of(), notes(1, 1, 0)));
        assertBroken(ChaosLaw.JOB_LOST);
    }

    @Test
    void aLossIsTrueWhereItsContainerWasRemovedAndNotWhereAnothersWas() {
        ObjectNode lost = view(1, "LOST", 0).put("endedAt", Instant.now().toString());
        Notes now = cutShort();
        Struck own = new Struck(Fault.CONTAINER_REMOVED, System.nanoTime(), System.nanoTime(), 1);
        Struck others = new Struck(Fault.CONTAINER_REMOVED, System.nanoTime(), System.nanoTime(), 2);
        holdAll(job(lost, wish(false, 0), List.of(own), now));
        assertThat(violations.sentences()).isEmpty();

        holdAll(job(lost, wish(false, 0), List.of(others), now));
        assertBroken(ChaosLaw.JOB_LOST);
    }

    @Test
    void aJobThatNeverEndsIsSeen() {
        holdAll(job(view(1, "RUNNING", 0), wish(false, 0), List.of(), notes(1, 1, 0)));
        assertBroken(ChaosLaw.JOB_LOST);
    }

    @Test
    void aCancelThatNobodyAskedForIsSeen() {
        holdAll(job(view(1, "CANCELLED", 0), wish(false, 0), List.of(), notes(1, 1, 0)));
        assertBroken(ChaosLaw.JOB_LOST);
    }

    @Test
    void aSecondStartIsSeenUnlessItWasAskedFor() {
        ObjectNode second = view(1, "COMPLETED", 0).put("attempt", 2);
        holdAll(job(second, wish(true, 0), List.of(), notes(1, 1, 0), notes(1, 2, 5 * SECOND)));
        assertThat(violations.sentences()).isEmpty();

        holdAll(job(second, wish(false, 0), List.of(), notes(1, 1, 0), notes(1, 2, 5 * SECOND)));
        assertBroken(ChaosLaw.STARTED_TWICE);
    }

    @Test
    void aStartBehindAnAttemptThatWasPutOffIsNoSecondOneAndOneBehindAProgramIs() {
        ObjectNode second = view(1, "COMPLETED", 0).put("attempt", 2);
        holdAll(job(second, wish(false, 0), 1, List.of(), notes(1, 2, 5 * SECOND)));
        assertThat(violations.sentences()).isEmpty();

        holdAll(job(second, wish(false, 0), 1, List.of(), notes(1, 1, 0), notes(1, 2, 5 * SECOND)));
        assertBroken(ChaosLaw.STARTED_TWICE);
    }

    @Test
    void anEndIsUnknownToADaemonThatWasKilledOrThatStartedItAsItWasToEndItselfAndToNoOther() {
        ObjectNode lost = view(1, "LOST", 0).put("sentence", "it does not know how: it says 255, or nothing");
        Struck killed = new Struck(Fault.ENGINE_KILLED_KEEPING, 3 * SECOND + 1, 4 * SECOND, 0);
        holdAll(job(lost, wish(false, 0), List.of(killed), notes(1, 1, 0)));
        Struck stoppedBefore = new Struck(Fault.ENGINE_STOPPED_KEEPING, -SECOND, SECOND / 2, 0);
        holdAll(job(lost, wish(false, 0), List.of(stoppedBefore), notes(1, 1, 0)));
        assertThat(violations.sentences()).isEmpty();

        Struck stoppedBehind = new Struck(Fault.ENGINE_STOPPED_KEEPING, 3 * SECOND + 1, 4 * SECOND, 0);
        holdAll(job(lost, wish(false, 0), List.of(stoppedBehind), notes(1, 1, 0)));
        assertBroken(ChaosLaw.JOB_LOST);
    }

    /** It is killed before it is removed, and Docker tells of that first, or of both at once. */
    @Test
    void aProgramWhoseContainerIsRemovedEndsAsKilledAndNotOtherwise() {
        String now = Instant.now().toString();
        Notes killed = cutShort();
        Struck removed = new Struck(Fault.CONTAINER_REMOVED, System.nanoTime(), System.nanoTime(), 1);
        holdAll(job(view(1, "FAILED", 137).put("endedAt", now), wish(false, 0), List.of(removed), killed));
        assertThat(violations.sentences()).isEmpty();

        holdAll(job(view(1, "FAILED", 1).put("endedAt", now), wish(false, 0), List.of(removed), killed));
        assertBroken(ChaosLaw.WRONG_END);
    }

    @Test
    void twoStartsOfOneAttemptAreSeen() {
        Notes once = notes(1, 1, 0);
        Notes twice = new Notes(
                "1",
                1,
                0,
                once.lastWall(),
                once.granted(),
                once.opened(),
                List.of(),
                once.points(),
                once.code(),
                false,
                2,
                ALONE);
        holdAll(job(view(1, "COMPLETED", 0), wish(false, 0), List.of(), twice));
        assertBroken(ChaosLaw.STARTED_TWICE);
    }

    @Test
    void aGpuThatAnotherHasIsSeen() {
        Notes alone = notes(1, 1, 0);
        Notes shared = new Notes(
                "1",
                1,
                0,
                alone.lastWall(),
                alone.granted(),
                alone.opened(),
                List.of("gpu-0"),
                alone.points(),
                alone.code(),
                false,
                1,
                ALONE);
        holdAll(job(view(1, "COMPLETED", 0), wish(false, 0), List.of(), shared));
        assertBroken(ChaosLaw.GPU_SHARED);
    }

    @Test
    void anOvertakerIsSeen() {
        Case earlier = job(view(1, "COMPLETED", 0), wish(false, 0), List.of(), notes(1, 1, 10 * SECOND));
        Case later = job(view(2, "COMPLETED", 0), wish(false, 0), List.of(), notes(2, 1, 0));
        new StartLaws(violations).holdOrder(List.of(earlier, later));
        assertBroken(ChaosLaw.OVERTAKEN);
    }

    private static Case waiting(String after, ObjectNode view, Notes... starts) {
        Wish wish = new Wish(
                2,
                1,
                1_000,
                0,
                true,
                false,
                0,
                Wish.Steering.LEFT_ALONE,
                false,
                false,
                after,
                Wish.Tasks.NONE,
                Wish.Retries.NONE);
        Ledger.Entry entry =
                new Ledger.Entry(wish, OptionalLong.of(1), OptionalLong.of(2), false, OptionalLong.empty());
        return new Case(entry, view, List.of(starts), 0, List.of());
    }

    @Test
    void aJobThatStartsAsItsDependencyHasEndedBreaksNothing() {
        Case met = waiting("afterok", view(2, "COMPLETED", 0), notes(2, 1, SECOND));
        Case unmet = waiting("afternotok", view(2, "FAILED", 0).put("reason", "DEPENDENCY_FAILED"));
        new StartLaws(violations).holdDependencies(List.of(good(), met), List.of());
        new StartLaws(violations).holdDependencies(List.of(good(), unmet), List.of());
        new EndLaws(violations).hold(unmet);
        assertThat(violations.sentences()).isEmpty();
    }

    @Test
    void aJobThatIsStartedBeforeItsDependencyHasEndedIsSeen() {
        Case early = waiting("afterany", view(2, "COMPLETED", 0), notes(2, 1, SECOND / 2));
        new StartLaws(violations).holdDependencies(List.of(good(), early), List.of());
        assertBroken(ChaosLaw.NOT_READY);
    }

    @Test
    void aJobThatRunsThoughItsDependencyCannotBeMetIsSeen() {
        Case wrong = waiting("afternotok", view(2, "COMPLETED", 0), notes(2, 1, 2 * SECOND));
        new StartLaws(violations).holdDependencies(List.of(good(), wrong), List.of());
        assertBroken(ChaosLaw.NOT_READY);
    }

    @Test
    void aJobThatFailsByADependencyThatIsMetIsSeen() {
        Case wrong = waiting("afterok", view(2, "FAILED", 0).put("reason", "DEPENDENCY_FAILED"));
        new StartLaws(violations).holdDependencies(List.of(good(), wrong), List.of());
        assertBroken(ChaosLaw.NOT_READY);
    }

    @Test
    void linesThatAreMissingAreSeenInTheMiddleAndAtTheEnd() {
        List<String> gap = log("out");
        String _ = gap.remove(7);
        new LogLaws(violations).hold(good(), "out", gap);
        new LogLaws(violations).hold(good(), "err", log("err").subList(0, LINES - 1));
        assertBroken(ChaosLaw.LINE_MISSING);
        assertThat(violations.count(ChaosLaw.LINE_MISSING)).isEqualTo(2);
    }

    @Test
    void aLineThatIsTornOrDoubledIsSeen() {
        List<String> doubled = log("out");
        doubled.add(7, doubled.get(7));
        new LogLaws(violations).hold(good(), "out", doubled);
        assertBroken(ChaosLaw.LINE_DOUBLED);
        List<String> torn = log("out");
        String line = torn.set(7, torn.get(7).substring(0, 8));
        assertThat(line).hasSizeGreaterThan(8);
        new LogLaws(violations).hold(good(), "out", torn);
        assertThat(violations.count(ChaosLaw.LINE_MISSING)).isEqualTo(1);
    }

    @Test
    void aKilledDaemonTakesAFewLinesWithItAndNoMore() {
        Struck kill = new Struck(Fault.ENGINE_KILLED_KEEPING, SECOND / 2, SECOND, 0);
        Case job = job(view(1, "COMPLETED", 0), wish(false, 0), List.of(kill), notes(1, 1, 0));
        List<String> few = log("out");
        few.subList(7, 9).clear();
        LogLaws logs = new LogLaws(violations);
        logs.hold(job, "out", few);
        assertThat(violations.sentences()).isEmpty();
        assertThat(logs.lostByEngine()).isEqualTo(2);

        List<String> many = log("out");
        many.subList(7, 20).clear();
        logs.hold(job, "out", many);
        assertBroken(ChaosLaw.LINE_MISSING);
    }

    /** It may have handed out half a line, and have written down less than it handed out. */
    @Test
    void aKilledDaemonMayTearALineAndItsCopyMayBeTheShorter() {
        List<String> torn = log("out").subList(0, 8);
        String _ = torn.set(7, torn.get(7).substring(0, 9));
        torn.add(ENDED_UNSEEN);
        List<String> noticed = log("err").subList(0, 8);
        noticed.add(ENDED_UNSEEN);
        Struck kill = new Struck(Fault.ENGINE_KILLED, SECOND / 2, 2 * SECOND, 0);
        Case killed = job(view(1, "LOST", 0), wish(false, 0), List.of(kill), notes(1, 1, 0));
        LogLaws logs = new LogLaws(violations);
        logs.hold(killed, "out", torn);
        logs.hold(killed, "err", noticed);
        assertThat(violations.sentences()).isEmpty();

        Struck before = new Struck(Fault.ENGINE_KILLED, -9 * SECOND, -8 * SECOND, 0);
        Case unharmed = job(view(1, "LOST", 0), wish(false, 0), List.of(before), notes(1, 1, 0));
        List<String> said = log("err");
        said.add(ENDED_UNSEEN);
        logs.hold(unharmed, "err", said);
        assertBroken(ChaosLaw.LINE_DOUBLED);
        List<String> tornUnharmed = log("out");
        String _ = tornUnharmed.set(7, tornUnharmed.get(7).substring(0, 9));
        logs.hold(unharmed, "out", tornUnharmed);
        assertThat(violations.count(ChaosLaw.LINE_MISSING)).isEqualTo(1);
    }

    /** Of a line that takes seconds to write, whose program may be ended in the middle of it. */
    @Test
    void aLineLacksNoMorePiecesThanDaemonsEnded() {
        String line = Written.line("err 1 ", 1, 7_000);
        String two = line.substring(0, 50) + line.substring(60, 100) + line.substring(120);
        assertThat(Written.isTorn(two, line, 2, false)).isTrue();
        assertThat(Written.isTorn(two, line, 1, false)).isFalse();
        String headLost = line.substring(40, 100);
        assertThat(Written.isTorn(headLost, line, 1, true)).isTrue();
        assertThat(Written.isTorn(headLost, line, 1, false)).isFalse();
        assertThat(Written.isTorn(headLost, line, 0, true)).isFalse();
        String twice = line.substring(0, 60) + line.substring(40);
        assertThat(Written.isTorn(twice, line, 3, true)).isFalse();
    }

    /** A daemon that is killed while it is written may take its beginning with it, also seconds before its end. */
    @Test
    void theFirstLineOnStandardErrorIsWrittenFromTheBeginOn() {
        Wish slow = new Wish(
                1,
                1,
                7_000,
                0,
                true,
                false,
                0,
                Wish.Steering.LEFT_ALONE,
                false,
                false,
                "",
                Wish.Tasks.NONE,
                Wish.Retries.NONE);
        Notes start = new Notes(
                "1",
                1,
                0,
                0,
                Set.of(),
                Set.of(),
                List.of(),
                List.of(
                        new Notes.Point(0, 0, 0),
                        new Notes.Point(5 * SECOND, 50, 0),
                        new Notes.Point(6 * SECOND, 60, 1),
                        new Notes.Point(7 * SECOND, 70, 1)),
                OptionalInt.of(0),
                false,
                1,
                ALONE);
        String line = Written.line("err 1 ", 1, 7_000);
        Struck kill = new Struck(Fault.ENGINE_KILLED_KEEPING, SECOND, 2 * SECOND, 0);
        LogLaws logs = new LogLaws(violations);
        logs.hold(job(view(1, "COMPLETED", 0), slow, List.of(kill), start), "err", List.of(line.substring(40)));
        assertThat(violations.sentences()).isEmpty();
        assertThat(logs.lostByEngine()).isEqualTo(1);

        logs.hold(job(view(1, "COMPLETED", 0), slow, List.of(), start), "err", List.of(line.substring(40)));
        assertThat(violations.sentences()).isNotEmpty();
    }

    /** The copy has another character for them; from the stream they come as they are. */
    @Test
    void bytesThatAreNoTextMayComeAsTheEngineHasThemAndNotOtherwise() {
        List<String> copied = log("out");
        String bytes = copied.get(4);
        StringBuilder text = new StringBuilder();
        bytes.chars().forEach(each -> text.append(each < 0x80 ? Character.toString(each) : "\u00ef\u00bf\u00bd"));
        String _ = copied.set(4, text.toString());
        new LogLaws(violations).hold(good(), "out", copied);
        assertThat(violations.sentences()).isEmpty();

        String _ = copied.set(4, bytes.replace('\u00ff', '?').replace('\u00f0', '?'));
        new LogLaws(violations).hold(good(), "out", copied);
        assertBroken(ChaosLaw.LINE_MISSING);
    }

    /** One that is told to end reads on until it does. */
    @Test
    void soDoesADaemonThatIsStoppedUntilItIsBack() {
        List<String> few = log("out");
        few.subList(7, 9).clear();
        Struck stop = new Struck(Fault.ENGINE_STOPPED_KEEPING, -2 * SECOND, SECOND, 0);
        LogLaws logs = new LogLaws(violations);
        logs.hold(job(view(1, "COMPLETED", 0), wish(false, 0), List.of(stop), notes(1, 1, 0)), "out", few);
        assertThat(violations.sentences()).isEmpty();
        assertThat(logs.lostByEngine()).isEqualTo(2);

        Struck over = new Struck(Fault.ENGINE_STOPPED_KEEPING, -4 * SECOND, -2 * SECOND, 0);
        logs.hold(job(view(1, "COMPLETED", 0), wish(false, 0), List.of(over), notes(1, 1, 0)), "out", few);
        assertBroken(ChaosLaw.LINE_MISSING);
    }

    /** And of a container that is removed in the moment in which the daemon is back, nobody has read what was new. */
    @Test
    void theLastLinesGoWithAContainerThatIsRemovedAtOnceAndNoOthers() {
        Struck away = new Struck(Fault.ENGINE_STOPPED_KEEPING, SECOND / 10, SECOND / 5, 0);
        Struck atOnce = new Struck(Fault.CONTAINER_REMOVED, SECOND / 5, SECOND / 2, 1);
        Case job = job(view(1, "LOST", 0), wish(false, 0), List.of(away, atOnce), notes(1, 1, 0));
        LogLaws logs = new LogLaws(violations);
        logs.hold(job, "out", log("out").subList(0, 20));
        assertThat(violations.sentences()).isEmpty();
        assertThat(logs.neverRead()).isEqualTo(20);

        Struck cut = new Struck(Fault.ENGINE_CUT_OFF, SECOND / 10, SECOND / 5, 0);
        Case cutOff = job(view(1, "LOST", 0), wish(false, 0), List.of(cut, atOnce), notes(1, 1, 0));
        logs.hold(cutOff, "out", log("out").subList(0, 20));
        assertThat(violations.sentences()).isEmpty();

        Struck later = new Struck(Fault.CONTAINER_REMOVED, 5 * SECOND, 6 * SECOND, 1);
        Case seen = job(view(1, "LOST", 0), wish(false, 0), List.of(away, later), notes(1, 1, 0));
        logs.hold(seen, "out", log("out").subList(0, 20));
        assertBroken(ChaosLaw.LINE_MISSING);
    }

    @Test
    void aStartThatWasLostHasNoLogAndOneThatWasNotHas() {
        Struck kill = new Struck(Fault.ENGINE_KILLED_KEEPING, 0, SECOND / 10, 0);
        Case requeued = job(view(1, "COMPLETED", 0).put("attempt", 2), wish(true, 0), List.of(kill), notes(1, 1, 0));
        LogLaws logs = new LogLaws(violations);
        logs.hold(requeued, "out", List.of());
        assertThat(violations.sentences()).isEmpty();
        assertThat(logs.neverRead()).isEqualTo(LINES);

        // It ended while no daemon was there, and its log says of the start what it need not say of the end.
        Struck longer = new Struck(Fault.ENGINE_KILLED_KEEPING, 0, 60 * SECOND, 0);
        Case unseen = job(view(1, "COMPLETED", 0).put("attempt", 2), wish(true, 0), List.of(longer), notes(1, 1, 0));
        logs.hold(
                unseen,
                "out",
                List.of(
                        "[berth: the container engine, or the connection to it, ended while it was to start this program; what"
                                + " it wrote may be missing]"));
        assertThat(violations.sentences()).isEmpty();

        // The next daemon may know how it ended all the same.
        Case completed = job(view(1, "COMPLETED", 0), wish(false, 0), List.of(kill), notes(1, 1, 0));
        List<String> said = List.of(
                "[berth: the container engine, or the connection to it, ended while it was to start this program; what it wrote"
                        + " may be missing]");
        logs.hold(completed, "out", said);
        assertThat(violations.sentences()).isEmpty();
        assertThat(logs.neverRead()).isEqualTo(2 * LINES);

        logs.hold(completed, "out", List.of());
        assertBroken(ChaosLaw.LINE_MISSING);
        logs.hold(good(), "out", said);
        assertThat(violations.count(ChaosLaw.LINE_DOUBLED)).isEqualTo(1);
    }

    /** A dockerd whose client is cut off breaks the start off that it was asked for. */
    @Test
    void aStartMayBeLostWithTheConnectionToItsDaemon() {
        Struck cut = new Struck(Fault.ENGINE_CUT_OFF, 0, SECOND / 10, 0);
        Case requeued = job(view(1, "COMPLETED", 0).put("attempt", 2), wish(true, 0), List.of(cut), notes(1, 2, 0));
        List<String> log = new ArrayList<>(List.of(
                "[berth: the container engine, or the connection to it, ended while it was to start this program;"
                        + " what it wrote may be missing]"));
        log.addAll(log("out").stream()
                .map(line -> line.replace("out 1 ", "out 2 "))
                .toList());
        new LogLaws(violations).hold(requeued, "out", log);
        assertThat(violations.sentences()).isEmpty();

        Struck before = new Struck(Fault.ENGINE_CUT_OFF, -90 * SECOND, -80 * SECOND, 0);
        Case unharmed = job(view(1, "COMPLETED", 0).put("attempt", 2), wish(true, 0), List.of(before), notes(1, 2, 0));
        new LogLaws(violations).hold(unharmed, "out", log);
        assertThat(violations.count(ChaosLaw.LINE_DOUBLED)).isEqualTo(1);
    }

    @Test
    void theLastLinesGoWithADaemonThatIsAwayWhenTheProgramEndsAndNoOthers() {
        Struck away = new Struck(Fault.ENGINE_STOPPED_KEEPING, SECOND / 2, 2 * SECOND, 0);
        Case job = job(view(1, "COMPLETED", 0), wish(false, 0), List.of(away), notes(1, 1, 0));
        LogLaws logs = new LogLaws(violations);
        List<String> marked = log("out").subList(0, 20);
        marked.add(ENDED_UNSEEN);
        logs.hold(job, "out", marked);
        assertThat(violations.sentences()).isEmpty();
        assertThat(logs.unseenByEngine()).isEqualTo(20);
        logs.hold(job, "out", log("out").subList(0, 20));
        assertBroken(ChaosLaw.LINE_MISSING);

        List<String> middle = log("out");
        middle.subList(7, 20).clear();
        logs.hold(job, "out", middle);
        assertBroken(ChaosLaw.LINE_MISSING);
    }
}
