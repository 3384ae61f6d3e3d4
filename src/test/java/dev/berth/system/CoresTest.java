package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.JsonReading;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Cores and memory that are a job's own. */
@SystemTest
class CoresTest {
    private static final String PROGRAM = "cores.py";
    private static final String ALLOWED = "Cpus_allowed_list:";

    @Test
    void eachJobHasACoreOfItsOwnAndTheNextWaitsForOne() {
        List<Integer> two = usable().subList(0, 2);
        try (Berth berth = Berth.on(Engine.ofMachine())) {
            berth.startOn(two, "--workers", "4");
            ProjectDirectory project = berth.project(PROGRAM);
            SubmittedJob one = berth.submit(project, PROGRAM, "--cpus", "1");
            SubmittedJob other = berth.submit(project, PROGRAM, "--cpus", "0.5");
            SubmittedJob third = berth.submit(project, PROGRAM, "--cpus", "1", "-e", "OMP_NUM_THREADS=7");
            SubmittedJob free = berth.submit(project, PROGRAM);

            assertOwnCore(one, two.getFirst(), "1", 0);
            assertOwnCore(other, two.getLast(), "1", 500_000_000);
            third.awaitReason("WAITING_FOR_CPUS");
            assertThat(third.sentence())
                    .isEqualTo(
                            "first in the queue; waits for a core of its own: 0 of 2 free, job 1 has 1, job 2 has 1");
            assertThat(free.state()).as("nobody overtakes").isEqualTo("QUEUED");

            berth.kill();
            berth.startOn(two, "--workers", "4");
            third.awaitReason("WAITING_FOR_CPUS");
            one.open();
            assertOwnCore(third, two.getFirst(), "7", 0);
            JsonNode unbound = begun(free);
            assertThat(cores(unbound)).as("all that the engine has").containsAll(usable());
            assertThat(unbound.path("told").isNull()).isTrue();
            Stream.of(other, third, free).forEach(SubmittedJob::open);
            Stream.of(one, other, third, free).forEach(SubmittedJob::awaitCompleted);
        }
    }

    @Test
    void aServerThatMayUseOneCoreGivesOutThatOne() {
        int last = usable().getLast();
        try (Berth berth = Berth.on(Engine.ofMachine())) {
            Ran start = berth.startOn(List.of(last), "--workers", "2");
            assertThat(start.out()).contains("own      cores " + last + " and ");
            ProjectDirectory project = berth.project(PROGRAM);
            SubmittedJob job = berth.submit(project, PROGRAM, "--cpus", "1");
            assertOwnCore(job, last, "1", 0);
            Ran refused = berth.command("submit", "scheduler", project.path().toString())
                    .and(PROGRAM, "--cpus", "2")
                    .run()
                    .expect(2);
            assertThat(refused.complaint())
                    .isEqualTo("berth: not accepted: it asks for 2 cores, but this server has 1 to allocate; ask for at"
                            + " most that with --cpus");
            job.open();
            job.awaitCompleted();
        }
    }

    @Test
    void memoryIsPromisedOnceAndWhoNeedsMoreThanItsOwnIsEnded() {
        try (Berth berth = Berth.on(Engine.ofMachine())) {
            berth.start("--workers", "4", "--set", "booking.memory=600m", "--set", "booking.cores=false");
            ProjectDirectory project =
                    berth.project(PROGRAM).file("eat.sh", "#!/bin/sh\nx=0123456789\nwhile :; do x=$x$x; done\n");
            SubmittedJob holder = berth.submit(project, PROGRAM, "--memory", "400m", "--cpus", "1");
            SubmittedJob eater = berth.submit(project, "./eat.sh", "--memory", "64m");
            SubmittedJob waiter = berth.submit(project, PROGRAM, "--memory", "400m");

            JsonNode unbound = begun(holder);
            assertThat(unbound.path("told").isNull()).as("no core is its own").isTrue();
            assertThat(unbound.path("threads").asText()).isEqualTo("1");
            eater.await("OUT_OF_MEMORY");
            waiter.awaitReason("WAITING_FOR_MEMORY");
            assertThat(waiter.sentence())
                    .isEqualTo("first in the queue; waits for 400 MiB of memory: 200 MiB of 600 MiB free, job 1 has 400"
                            + " MiB");
            assertThat(inspect(holder, "{{.HostConfig.Memory}} {{.HostConfig.MemorySwap}}"))
                    .isEqualTo((400L << 20) + " " + (400L << 20));
            holder.open();
            begun(waiter);
            waiter.open();
            Stream.of(holder, waiter).forEach(SubmittedJob::awaitCompleted);
        }
    }

    /** By what the program sees, and by what the engine was told. */
    private static void assertOwnCore(SubmittedJob job, int core, String threads, long nanoCpus) {
        JsonNode begun = begun(job);
        assertThat(cores(begun)).containsExactly(core);
        assertThat(begun.path("told").asText()).isEqualTo(Integer.toString(core));
        assertThat(begun.path("threads").asText()).isEqualTo(threads);
        assertThat(inspect(job, "{{.HostConfig.CpusetCpus}} {{.HostConfig.NanoCpus}}"))
                .isEqualTo(core + " " + nanoCpus);
    }

    private static String inspect(SubmittedJob job, String format) {
        return job.berth()
                .engine()
                .docker("inspect", "--format", format, job.container())
                .text();
    }

    private static JsonNode begun(SubmittedJob job) {
        return JsonReading.of(TestFiles.read(job.awaitFile("begun.json")));
    }

    private static List<Integer> cores(JsonNode begun) {
        return JsonReading.strings(begun.path("cores")).stream()
                .map(Integer::valueOf)
                .toList();
    }

    /** The cores that this test may use; there are two at least wherever Berth is tested. */
    private static List<Integer> usable() {
        String list = TestFiles.lines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith(ALLOWED))
                .map(line -> line.substring(ALLOWED.length()).strip())
                .findFirst()
                .orElseThrow();
        return Stream.of(list.split(","))
                .map(range -> range.split("-"))
                .flatMap(ends -> IntStream.rangeClosed(
                                Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]))
                        .boxed())
                .toList();
    }
}
