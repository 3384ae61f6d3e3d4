package dev.berth.chaos;

import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.Command;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.TestFiles;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** Brings the faults about, one after the other at random moments, and notes when each struck whom. */
final class Striker {
    private static final Duration STOP_LIMIT = Duration.ofSeconds(5);
    private static final int PAUSE_MILLIS = 2_000;
    private static final int AWAY_MILLIS = 1_200;
    private static final int FROZEN_MILLIS = 4_000;
    private static final int STARTING_MILLIS = 1_800;

    private final List<Struck> struck = new ArrayList<>();
    private final List<String> complaints = new ArrayList<>();
    private final Site site;
    private final SplittableRandom random;
    private final Consumer<String> diary;

    /** One that tells {@code diary} what it does. */
    Striker(Site site, SplittableRandom random, Consumer<String> diary) {
        this.site = site;
        this.random = random;
        this.diary = diary;
    }

    /** Every fault as often as so many kills of the server ask for, in an order that the seed alone decides. */
    static List<Fault> plan(int kills, SplittableRandom random) {
        List<Fault> plan = new ArrayList<>();
        for (Fault fault : Fault.values()) {
            for (int count = fault.of(kills); count > 0; count--) {
                plan.add(random.nextInt(plan.size() + 1), fault);
            }
        }
        return plan;
    }

    List<Struck> struck() {
        return List.copyOf(struck);
    }

    /** What went wrong with the server itself. */
    List<String> complaints() {
        return List.copyOf(complaints);
    }

    void strike(List<Fault> plan) {
        for (Fault fault : plan) {
            pass(PAUSE_MILLIS);
            fault.keepsContainers().ifPresent(site.daemon()::keepContainers);
            long from = System.nanoTime();
            diary.accept(fault.title());
            Optional<Long> job = strike(fault);
            job.ifPresent(id -> {
                struck.add(new Struck(fault, from, System.nanoTime(), id));
                if (fault == Fault.BOTH_KILLED) {
                    site.server().start();
                }
                diary.accept("done" + (id == 0 ? "" : " to job " + id));
            });
        }
    }

    private void pass(int mostMillis) {
        Await.pass(Duration.ofMillis(random.nextInt(mostMillis)));
    }

    /** Whom it struck, 0 for all; empty where nobody was there. */
    private Optional<Long> strike(Fault fault) {
        switch (fault) {
            case SERVER_KILLED -> restartServer(false);
            case SERVER_KILLED_WHILE_STARTING -> restartServer(true);
            case SERVER_STOPPED -> stopServer();
            case ENGINE_KILLED, ENGINE_KILLED_KEEPING -> restartEngine(site.daemon()::kill);
            case ENGINE_STOPPED, ENGINE_STOPPED_KEEPING -> restartEngine(site.daemon()::terminate);
            case ENGINE_FROZEN -> freezeEngine();
            case BOTH_KILLED -> killBoth();
            case ENGINE_CUT_OFF -> cut(site.toEngine());
            case CLIENTS_CUT_OFF -> cut(site.toServer());
            case CONTAINER_REMOVED -> {
                return victim().filter(this::removeContainer);
            }
            case PROGRAM_KILLED -> {
                return victim().filter(this::killProgram);
            }
        }
        return Optional.of(0L);
    }

    private void restartServer(boolean twice) {
        site.server().kill();
        pass(AWAY_MILLIS);
        if (twice) {
            site.server().begin();
            pass(STARTING_MILLIS);
            site.server().kill();
        }
        site.server().start();
    }

    private void stopServer() {
        Duration took = site.server().stop();
        if (took.compareTo(STOP_LIMIT) > 0) {
            complaints.add("a SIGTERM ended the server after " + took.toMillis() + " ms only");
        }
        pass(AWAY_MILLIS);
        site.server().start();
    }

    private void restartEngine(Runnable end) {
        end.run();
        pass(AWAY_MILLIS);
        site.daemon().start();
    }

    /** The server is started again when the daemon's absence is noted: it may take longer. */
    private void killBoth() {
        site.daemon().kill();
        site.server().kill();
        pass(AWAY_MILLIS);
        site.daemon().start();
    }

    private void freezeEngine() {
        site.daemon().freeze();
        pass(FROZEN_MILLIS);
        site.daemon().thaw();
    }

    private void cut(CuttingRelay relay) {
        relay.nervous(true);
        relay.cut();
        pass(AWAY_MILLIS);
        relay.cut();
        relay.nervous(false);
    }

    private Optional<Long> victim() {
        List<Long> running = site.runningJobs();
        return running.isEmpty() ? Optional.empty() : Optional.of(running.get(random.nextInt(running.size())));
    }

    private boolean removeContainer(long job) {
        List<String> container = site.container(job);
        return !container.isEmpty()
                && Command.of("docker", "rm", "-f", container.getFirst())
                                .with(site.engine().engine().variables())
                                .run()
                                .exitCode()
                        == 0;
    }

    /** Its first process is the engine's init; that one's child is the program, or the script of a pack, under which its tasks are. */
    private boolean killProgram(long job) {
        for (String container : site.container(job)) {
            Ran init = Command.of("docker", "inspect", "--format", "{{.State.Pid}}", container)
                    .with(site.engine().engine().variables())
                    .run();
            Optional<String> program = init.exitCode() == 0 ? child(init.text()) : Optional.empty();
            boolean isTask = random.nextBoolean();
            for (Optional<String> next = program; isTask && next.isPresent(); next = child(next.get())) {
                program = next;
            }
            return program.isPresent()
                    && Command.of("kill", "-KILL", program.get()).run().exitCode() == 0;
        }
        return false;
    }

    private Optional<String> child(String process) {
        Path file = Path.of("/proc", process, "task", process, "children");
        try {
            String[] children = TestFiles.read(file).strip().split(" ");
            String child = children[random.nextInt(children.length)];
            return child.isEmpty() ? Optional.empty() : Optional.of(child);
        } catch (UncheckedIOException _) {
            return Optional.empty();
        }
    }
}
