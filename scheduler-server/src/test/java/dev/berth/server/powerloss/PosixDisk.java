package dev.berth.server.powerloss;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A disk as POSIX allows it to be: what was synchronised is there; of what came later any part may be, in any order,
 * torn at any sector; a name that was made, changed or removed since its directory was synchronised may be as before.
 */
final class PosixDisk {
    private static final int SECTOR = 512;

    /** Bytes that grow. */
    private static final class Bytes {
        private byte[] room;
        private int length;

        private Bytes(byte[] first) {
            room = first;
            length = first.length;
        }

        private void apply(Happening change, int from, int count) {
            int end = change.kind() == 't' ? (int) change.offset() : (int) change.offset() + from + count;
            if (end > room.length) {
                room = Arrays.copyOf(room, Math.max(end, 2 * room.length));
            }
            if (change.kind() == 't') {
                Arrays.fill(room, Math.min(end, length), Math.max(end, length), (byte) 0);
                length = end;
            } else {
                ByteBuffer _ = change.data().get(from, room, (int) change.offset() + from, count);
                length = Math.max(length, end);
            }
        }

        private byte[] all() {
            return Arrays.copyOf(room, length);
        }
    }

    /** A file's bytes as synchronised, and what was done to them since. */
    private static final class Content {
        private Bytes durable = new Bytes(new byte[0]);
        private final List<Happening> since = new ArrayList<>();

        private void synchronise() {
            since.forEach(each -> durable.apply(each, 0, each.data().limit()));
            since.clear();
        }

        private byte[] cut(Loss loss, SplittableRandom random) {
            Bytes all = new Bytes(durable.all());
            for (Happening each : since) {
                if (loss == Loss.NOTHING || (loss != Loss.EVERYTHING && random.nextBoolean())) {
                    all.apply(each, 0, each.data().limit());
                } else if (loss == Loss.SECTORS) {
                    tear(all, each, random);
                }
            }
            return all.all();
        }

        private static void tear(Bytes all, Happening write, SplittableRandom random) {
            for (int at = 0; at < write.data().limit(); at += SECTOR) {
                if (random.nextBoolean()) {
                    all.apply(write, at, Math.min(SECTOR, write.data().limit() - at));
                }
            }
        }
    }

    /** How much of what was not synchronised is lost. */
    enum Loss {
        NOTHING,
        EVERYTHING,
        SOME,
        SECTORS
    }

    /** A change of a name; null content stands for a directory, and for a name that is gone. */
    private record Naming(String path, @Nullable Content content, boolean directory) {}

    private final String below;
    private final Predicate<Happening> believed;
    private final Map<Long, Content> contents = new HashMap<>();
    private final Map<String, Naming> names = new TreeMap<>();
    private final Map<String, Naming> durableNames = new TreeMap<>();
    private final Map<String, List<Naming>> namesSince = new HashMap<>();

    /**
     * A disk with what is in a directory now.
     *
     * @param believed which synchronisations it carries out; an honest disk all
     */
    PosixDisk(Path below, Predicate<Happening> believed) {
        this.below = below.toString();
        this.believed = believed;
        try (Stream<Path> all = Files.walk(below)) {
            for (Path path : (Iterable<Path>) all::iterator) {
                Content content = null;
                if (Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
                    content = new Content();
                    content.durable = new Bytes(Files.readAllBytes(path));
                }
                Naming naming = new Naming(path.toString(), content, content == null);
                names.put(naming.path(), naming);
                durableNames.put(naming.path(), naming);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void happen(Happening what) {
        switch (what.kind()) {
            case 'c' -> {
                Content fresh = new Content();
                contents.put(what.inode(), fresh);
                name(new Naming(what.path(), fresh, false));
            }
            case 'w', 't' -> contentOf(what).since.add(what);
            case 's' -> {
                if (believed.test(what)) {
                    synchronise(what);
                }
            }
            case 'u' -> name(new Naming(what.path(), null, false));
            case 'r' -> {
                Naming moved = Objects.requireNonNull(names.get(what.path()));
                name(new Naming(what.other(), moved.content(), false));
                name(new Naming(what.path(), null, false));
            }
            case 'l' ->
                name(new Naming(
                        what.other(),
                        Objects.requireNonNull(names.get(what.path())).content(),
                        false));
            case 'd' -> name(new Naming(what.path(), null, true));
            default -> throw new IllegalArgumentException("kind " + what.kind());
        }
    }

    private Content contentOf(Happening what) {
        return contents.computeIfAbsent(
                what.inode(),
                _ -> Objects.requireNonNull(Objects.requireNonNull(names.get(what.path()), what.path())
                        .content()));
    }

    private void synchronise(Happening what) {
        Naming named = names.get(what.path());
        if (named != null && named.directory()) {
            namesSince.getOrDefault(what.path(), List.of()).forEach(change -> put(durableNames, change));
            namesSince.remove(what.path());
        } else {
            contentOf(what).synchronise();
        }
    }

    private void name(Naming change) {
        put(names, change);
        String directory = change.path().substring(0, change.path().lastIndexOf('/'));
        namesSince.computeIfAbsent(directory, _ -> new ArrayList<>()).add(change);
    }

    private static void put(Map<String, Naming> names, Naming change) {
        if (change.content() == null && !change.directory()) {
            names.remove(change.path());
        } else {
            names.put(change.path(), change);
        }
    }

    /** Writes what may be left after a power cut now. */
    void cutTo(Path target, Loss loss, SplittableRandom random) throws IOException {
        Map<String, Naming> left = new TreeMap<>(durableNames);
        for (List<Naming> changes : namesSince.values()) {
            for (Naming change : changes) {
                if (loss == Loss.NOTHING || (loss != Loss.EVERYTHING && random.nextBoolean())) {
                    put(left, change);
                }
            }
        }
        Files.createDirectories(target);
        for (Naming each : left.values()) {
            Path place =
                    target.resolve("." + each.path().substring(below.length())).normalize();
            // A directory whose own name was lost took what was in it along.
            if (Files.isDirectory(Objects.requireNonNull(place.getParent()))) {
                Content content = each.content();
                if (content == null) {
                    Files.createDirectories(place);
                } else {
                    Files.write(place, content.cut(loss, random));
                }
            }
        }
    }
}
