package dev.berth.chaos;

import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Running;
import dev.berth.system.fixture.TestFiles;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** One run: clients and faults, until the server was killed as often as asked for; then the account. */
final class ChaosRun {
    private static final int CLIENTS = 3;
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final Wish FIRST = new Wish(
            0,
            1,
            500,
            0,
            true,
            false,
            0,
            Wish.Steering.LEFT_ALONE,
            false,
            true,
            "",
            Wish.Tasks.NONE,
            Wish.Retries.NONE);

    private final long seed;
    private final int kills;
    private final Path folder;
    private final long begin = System.nanoTime();
    private final List<String> diary = new ArrayList<>();
    private final Ledger ledger = new Ledger();
    private final Violations violations = new Violations();

    /**
     * A run.
     *
     * @param folder where its report lands, and what helps to find a fault of the product's
     */
    ChaosRun(long seed, int kills, Path folder) {
        this.seed = seed;
        this.kills = kills;
        this.folder = folder;
    }

    /** What was found against the laws. */
    List<String> run() {
        SplittableRandom random = new SplittableRandom(seed);
        if (Files.exists(folder)) {
            TestFiles.deleteTree(folder);
        }
        Path _ = TestFiles.folders(folder);
        try (Site site = Site.open(random.split())) {
            boolean completed = false;
            try {
                report(site, random);
                completed = true;
            } finally {
                keep(site, completed);
            }
        }
        return violations.sentences();
    }

    private void report(Site site, SplittableRandom random) {
        Striker striker = new Striker(site, random.split(), this::note);
        List<Fault> plan = Striker.plan(kills, random.split());
        site.server().start();
        String snapshot = submitFirst(site);
        try (Running events = site.command("events", "-f", "--json").start()) {
            List<Client> clients = new ArrayList<>();
            AtomicInteger numbers = new AtomicInteger(FIRST.number());
            for (int client = 0; client < CLIENTS; client++) {
                clients.add(new Client(site, ledger, numbers, snapshot, random.split()));
            }
            CompletableFuture<?>[] work = clients.stream()
                    .map(client -> CompletableFuture.runAsync(client, Thread.ofVirtual()::start))
                    .toArray(CompletableFuture[]::new);
            striker.strike(plan);
            clients.forEach(Client::close);
            CompletableFuture.allOf(work)
                    .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                    .join();
            note("the faults are over");
            settle(site);
            note("the jobs are over");
            judge(site, striker, events);
        }
    }

    private synchronized void note(String what) {
        diary.add("%s  %7.2f s  %s".formatted(Instant.now(), (System.nanoTime() - begin) / 1e9, what));
    }

    /** It also brings the directory that later jobs name. */
    private String submitFirst(Site site) {
        var _ = ledger.add(FIRST);
        var job = site.command(
                        "submit", "--json", "scheduler", site.project().path().toString())
                .and("--name", FIRST.name(), "--num-gpus", "1", "-v", site.records() + ":/records", "--")
                .and(FIRST.command().toArray(String[]::new))
                .run()
                .expect(0)
                .json();
        ledger.change(FIRST, entry -> entry.acknowledged(job.path("id").asLong()));
        return job.path("snapshot").asText();
    }

    /** A client whose server was away may have left a job held. */
    private void settle(Site site) {
        site.held().forEach(job -> site.berth().api().post("/jobs/" + job + "/release", "{}"));
        site.settle(PATIENCE).forEach(live -> violations.add(ChaosLaw.JOB_LOST, live));
    }

    private void judge(Site site, Striker striker, Running events) {
        Evidence evidence = Evidence.of(site);
        Judge judge = new Judge(violations, ledger, evidence);
        List<Case> cases = judge.cases(site, striker.struck());
        LogLaws logs = judge.judge(cases);
        awaitLast(evidence, events);
        judge.events(events);
        Stream.concat(striker.complaints().stream(), site.server().complaints().stream())
                .forEach(complaint -> violations.add(ChaosLaw.SERVER, complaint));
        long cuts = site.toEngine().cuts() + site.toServer().cuts();
        Duration took = Duration.ofNanos(System.nanoTime() - begin);
        Report report = new Report(seed, took, striker.struck(), cases, logs, cuts, violations);
        Path _ = TestFiles.write(folder.resolve("report.md"), report.text());
    }

    private static void awaitLast(Evidence evidence, Running events) {
        try {
            Await.that(
                    "the last event is told",
                    () -> Evidence.told(events).contains(evidence.events().getLast()));
        } catch (AssertionError | UncheckedIOException _) {
            // The judge says so.
        }
    }

    /** What helps to understand a violation. */
    private void keep(Site site, boolean completed) {
        Path _ = TestFiles.write(folder.resolve("diary.txt"), String.join("\n", diary) + "\n");
        Path _ = TestFiles.write(folder.resolve("violations.txt"), String.join("\n", violations.sentences()) + "\n");
        if (!completed || !violations.sentences().isEmpty()) {
            copy(site.engine().folder().resolve("log"));
            TestFiles.tree(site.berth().home()).stream()
                    .filter(file -> file.getFileName().toString().matches("server\\.log.*|berth\\.db.*"))
                    .forEach(this::copy);
            TestFiles.tree(site.records()).stream().filter(Files::isRegularFile).forEach(this::copy);
        }
    }

    private void copy(Path file) {
        Path of = folder.resolve(Path.of("/").relativize(file).subpath(2, file.getNameCount()));
        Path _ = TestFiles.folders(of.resolveSibling(""));
        TestFiles.copyTree(file, of);
    }
}
