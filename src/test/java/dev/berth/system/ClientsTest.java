package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.JsonReading;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.Relay;
import dev.berth.system.fixture.Running;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Clients whose connection breaks, and whose server goes and comes back: nothing twice, nothing missing. */
@SystemTest
class ClientsTest {
    private static final String AWAY = "berth: the server is away; trying again for 60 s";
    private static final String BACK = "berth: the server is back";

    @Test
    void anAnswerThatIsLostBehindTheCommitIsAskedForAgainAndNothingIsDoneTwice() {
        try (Berth berth = Berth.on(Engine.ofMachine())) {
            berth.start("--simulate-gpus", "1");
            ProjectDirectory project = berth.project("record.py");
            SubmittedJob holder = berth.submit(project, "record.py", "gate");
            try (Relay relay = Relay.at(
                    berth.home().resolve("relay"), berth.dataDirectory().resolve("berth.sock"))) {
                over(
                        relay.losing("POST /api/v1/jobs HTTP"),
                        berth,
                        "submit",
                        "scheduler",
                        project.path().toString(),
                        "record.py");
                assertThat(jobs(berth)).containsExactly(2L, 1L);
                SubmittedJob job =
                        SubmittedJob.of(berth, berth.api().get("/jobs/2").json());

                for (String verb : List.of("hold", "release", "cancel")) {
                    over(relay.losing("POST /api/v1/jobs/2/" + verb), berth, verb, job.idText());
                    String state = verb.equals("hold") ? "HELD" : verb.equals("cancel") ? "CANCELLED" : "QUEUED";
                    assertThat(job.state()).isEqualTo(state);
                }

                over(relay.losing("POST /api/v1/jobs/2/resubmit"), berth, "resubmit", job.idText());
                assertThat(jobs(berth)).containsExactly(3L, 2L, 1L);
            }
            holder.open();
        }
    }

    /** Runs a command over the relay, which loses an answer of it. */
    private static void over(Relay relay, Berth berth, String... words) {
        Ran ran = berth.command("--socket", relay.socket().toString())
                .and(words)
                .run()
                .expect(0);
        assertThat(relay.hasLostAll()).isTrue();
        assertThat(ran.err().lines()).as("standard error of %s", ran).contains(AWAY, BACK);
    }

    private static List<Long> jobs(Berth berth) {
        return JsonReading.each(berth.run("ps", "-a", "--json").json().path("jobs"), "id").stream()
                .map(Long::parseLong)
                .toList();
    }

    @Test
    void whoFollowsGoesOnThroughAKillWithoutAGapOrARepetition() {
        try (Berth berth = Berth.on(Engine.ofMachine())) {
            berth.start("--simulate-gpus", "1");
            ProjectDirectory project = berth.project("count.py", "record.py");
            SubmittedJob job = berth.submit(project, "count.py", "out", "0");
            awaitLines(job, 100);
            try (Running logs = berth.command("logs", "-f", job.idText()).start();
                    Running events = berth.command("events", "-f").start()) {
                Await.that("the log is followed", () -> logs.said().contains("\n100 "));
                for (int outage = 0; outage < 2; outage++) {
                    berth.submit(project, "record.py");
                    int jobs = outage + 2;
                    Await.that("events are followed", () -> events.said().contains("job " + jobs + " "));
                    berth.kill();
                    awaitLines(job, lines(job) + 100);
                    berth.start("--simulate-gpus", "1");
                    String line = "\n" + lines(job) + " ";
                    // One who pauses between two tries may not see that the server came and went.
                    Await.that("the log is followed again", () -> logs.said().contains(line));
                }
                job.open();

                Ran log = logs.end().expect(0);
                assertThat(berth.run("logs", job.idText()).lines()).isEqualTo(expected(job));
                assertThat(log.lines()).isEqualTo(expected(job));
                assertThat(log.err().lines().filter(line -> line.equals(AWAY) || line.equals(BACK)))
                        .containsExactly(AWAY, BACK, AWAY, BACK);

                Await.that(
                        "the last job is over",
                        () -> new SubmittedJob(berth, 3, job.output()).state().equals("COMPLETED"));
                String all = berth.run("events").out();
                String last = all.lines().toList().getLast();
                Await.that("the last event is told", () -> events.said().contains(last));
                String first = events.said().lines().findFirst().orElseThrow();
                assertThat(events.said()).isEqualTo(all.substring(all.indexOf(first)));
            }
        }
    }

    private static int lines(SubmittedJob job) {
        job.awaitFile("lines");
        return Integer.parseInt(job.read("lines"));
    }

    private static void awaitLines(SubmittedJob job, int lines) {
        Await.that("job " + job.id() + " has written " + lines + " lines", () -> lines(job) >= lines);
    }

    /** What count.py writes. */
    private static List<String> expected(SubmittedJob job) {
        return IntStream.rangeClosed(1, lines(job))
                .mapToObj(line -> line + " " + "x".repeat(line * 37 % 500))
                .toList();
    }
}
