package dev.berth.server.powerloss;

import dev.berth.server.powerloss.PosixDisk.Loss;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Power cuts at random places of a recording, and what is checked after each. */
final class PowerCuts {
    static final int CUTS = Integer.getInteger("berth.test.power.cuts", 300);
    private static final long SEED = Long.getLong("berth.test.power.seed", 4);

    private static final List<Loss> LOSSES = List.of(Loss.values());

    /** What is written there costs no wear and no time. */
    private static final Path MEMORY = Path.of("/dev/shm");

    private PowerCuts() {}

    /** Whether what is left is as it must be, given how many commits were acknowledged; throws where it is not. */
    interface Survivor {
        void check(Path left, int acknowledged) throws Exception;
    }

    static void assertSurvives(Path before, List<Happening> record, int cuts, Survivor survivor) throws IOException {
        Optional<AssertionError> failure = failure(before, record, _ -> true, cuts, survivor);
        if (failure.isPresent()) {
            throw failure.get();
        }
    }

    /** Cuts a recording at random places and checks each time what is left, until that fails; answers how. */
    static Optional<AssertionError> failure(
            Path before, List<Happening> record, Predicate<Happening> believed, int cuts, Survivor survivor)
            throws IOException {
        SplittableRandom random = new SplittableRandom(SEED);
        List<Integer> places = new ArrayList<>();
        for (int cut = 0; cut < cuts; cut++) {
            places.add(random.nextInt(record.size() + 1));
        }
        places.sort(Comparator.naturalOrder());
        PosixDisk disk = new PosixDisk(before, believed);
        int acknowledged = 0;
        int at = 0;
        for (int place : places) {
            for (; at < place; at++) {
                Happening what = record.get(at);
                if (what.path().endsWith("/" + RecordedServer.ACKNOWLEDGED)) {
                    acknowledged += what.kind() == 'w' ? 1 : 0;
                } else {
                    disk.happen(what);
                }
            }
            Path left = Files.createTempDirectory(MEMORY, "berth-power-");
            Loss loss = LOSSES.get(random.nextInt(LOSSES.size()));
            try {
                disk.cutTo(left, loss, random.split());
                survivor.check(left, acknowledged);
            } catch (Exception | AssertionError e) {
                return Optional.of(new AssertionError(
                        "a cut after happening " + at + " of " + record.size() + ", seed " + SEED + ", losing " + loss
                                + ", with " + acknowledged + " commits acknowledged",
                        e));
            } finally {
                delete(left);
            }
        }
        return Optional.empty();
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    /** The record as if it had happened in another directory: that the disk began with what is there. */
    static List<Happening> moved(List<Happening> record, Path from, Path to) {
        return record.stream()
                .map(each -> new Happening(
                        each.kind(),
                        each.inode(),
                        each.offset(),
                        each.path().replace(from.toString(), to.toString()),
                        each.other().replace(from.toString(), to.toString()),
                        each.data()))
                .toList();
    }
}
