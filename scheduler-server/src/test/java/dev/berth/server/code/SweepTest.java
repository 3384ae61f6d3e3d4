package dev.berth.server.code;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.server.example.Draft;
import dev.berth.server.example.Jobs;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What goes and what stays, by a clock that the test turns. */
class SweepTest {
    private static final long ADA = 1000;

    @TempDir
    private Path directory;

    private final Set<String> referenced = new HashSet<>();
    private Instant now = Jobs.SUBMITTED;
    private SnapshotStore store;

    @BeforeEach
    void open() {
        store = new SnapshotStore(directory, UploadLimits.DEFAULT, () -> now);
    }

    private Swept sweep() throws IOException {
        return store.sweep((uid, id) -> uid == ADA && referenced.contains(id), now);
    }

    private void pass(Duration time) {
        now = now.plus(time);
    }

    private long files() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile).count();
        }
    }

    private static Draft tree(String own) {
        return new Draft().file("common", "common").file("own", own);
    }

    @Test
    void whatNoJobNamesGoesAfterAnHour() throws Exception {
        tree("one").uploadTo(store, ADA);
        pass(Duration.ofHours(1));
        assertThat(sweep().isNothing()).isTrue();
        pass(Duration.ofSeconds(1));
        assertThat(sweep()).isEqualTo(new Swept(1, 2, 0, 3 * 4_096));
        assertThat(files()).isZero();
        assertThat(sweep().isNothing()).isTrue();
    }

    @Test
    void whatAJobNamesStays() throws Exception {
        String kept = tree("one").uploadTo(store, ADA);
        tree("two").uploadTo(store, ADA);
        referenced.add(kept);
        pass(Duration.ofDays(100));
        assertThat(sweep()).isEqualTo(new Swept(1, 1, 0, 2 * 4_096));
        assertThat(store.content(ADA, Draft.digest("common"))).hasContent("common");
        assertThat(store.content(ADA, Draft.digest("one"))).hasContent("one");
        assertThat(store.content(ADA, Draft.digest("two"))).doesNotExist();
        assertThat(store.holds(ADA, kept)).isTrue();
    }

    @Test
    void anothersJobKeepsNothing() throws Exception {
        String id = tree("one").uploadTo(store, ADA);
        tree("one").uploadTo(store, ADA + 1);
        referenced.add(id);
        pass(Duration.ofHours(2));
        assertThat(sweep()).isEqualTo(new Swept(1, 2, 0, 3 * 4_096));
        assertThat(store.holds(ADA, id)).isTrue();
        assertThat(store.holds(ADA + 1, id)).isFalse();
    }

    @Test
    void gitsDifferenceStaysWithItsSnapshot() throws Exception {
        referenced.add(new Draft().git("0".repeat(40), "main", "-a").uploadTo(store, ADA));
        pass(Duration.ofHours(2));
        assertThat(sweep().isNothing()).isTrue();
        assertThat(store.content(ADA, Draft.digest("-a"))).hasContent("-a");
    }

    @Test
    void askingForASnapshotKeepsItForAnotherHour() throws Exception {
        String id = tree("one").uploadTo(store, ADA);
        pass(Duration.ofMinutes(59));
        assertThat(store.holds(ADA, id)).isTrue();
        pass(Duration.ofMinutes(59));
        assertThat(sweep().isNothing()).isTrue();
        assertThat(store.keep(ADA, tree("one").stream()).missing()).isEmpty();
        pass(Duration.ofMinutes(59));
        assertThat(sweep().isNothing()).isTrue();
        assertThat(store.holds(ADA, id)).isTrue();
    }

    /** The upload was told that these contents are there, so they must still be when it comes back. */
    @Test
    void whatAnUploadFoundStaysWhileItBringsTheRest() throws Exception {
        String old = tree("one").uploadTo(store, ADA);
        pass(Duration.ofHours(2));
        Draft next = tree("two");
        assertThat(store.keep(ADA, next.stream()).missing()).containsExactly(Draft.digest("two"));
        assertThat(sweep().snapshots()).isEqualTo(1);
        assertThat(store.holds(ADA, old)).isFalse();
        assertThat(store.fill(ADA, next.id(), new ByteArrayInputStream(next.contents(List.of(Draft.digest("two")))))
                        .missing())
                .isEmpty();
        assertThat(store.content(ADA, Draft.digest("common"))).hasContent("common");
    }

    /** The sweep has made up its mind about what is needed when a submit comes and needs an old content. */
    @Test
    void whatIsNamedInTheMiddleOfASweepStays() throws Exception {
        tree("one").uploadTo(store, ADA);
        pass(Duration.ofHours(2));
        AtomicBoolean came = new AtomicBoolean();
        Draft late = new Draft().file("late", "common");
        Swept swept = store.sweep(
                (_, _) -> {
                    if (!came.getAndSet(true)) {
                        upload(late);
                    }
                    return false;
                },
                now);
        assertThat(came).isTrue();
        assertThat(swept).isEqualTo(new Swept(1, 1, 0, 2 * 4_096));
        assertThat(store.holds(ADA, late.id())).isTrue();
        assertThat(store.content(ADA, Draft.digest("common"))).hasContent("common");
    }

    private void upload(Draft draft) {
        try {
            draft.uploadTo(store, ADA);
        } catch (IOException | SnapshotException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aManifestWhoseContentsNeverCameGoes() throws Exception {
        assertThat(store.keep(ADA, tree("one").stream()).missing()).hasSize(2);
        pass(Duration.ofMinutes(61));
        assertThat(sweep()).isEqualTo(new Swept(1, 0, 0, 4_096));
        assertThat(files()).isZero();
    }

    @Test
    void whatAKilledServerWasReceivingGoes() throws Exception {
        tree("one").uploadTo(store, ADA);
        Path left = Files.writeString(directory.resolve("1000/partial/upload-1.partial"), "half");
        Path fresh = Files.writeString(directory.resolve("1000/partial/upload-2.partial"), "half");
        Files.setLastModifiedTime(left, FileTime.from(now.minus(Duration.ofHours(2))));
        Files.setLastModifiedTime(fresh, FileTime.from(now));
        assertThat(sweep()).isEqualTo(new Swept(0, 0, 1, 4_096));
        assertThat(left).doesNotExist();
        assertThat(fresh).exists();
    }

    @Test
    void sweepingMakesRoomInTheQuota() throws Exception {
        store = new SnapshotStore(directory, new UploadLimits(1 << 20, 100, 1 << 20, 100 << 10, 100), () -> now);
        Draft big = new Draft().file("a", "x".repeat(60 << 10));
        Draft other = new Draft().file("a", "y".repeat(60 << 10));
        big.uploadTo(store, ADA);
        assertThatThrownBy(() -> store.keep(ADA, other.stream())).isInstanceOf(SnapshotException.class);
        pass(Duration.ofHours(2));
        assertThat(sweep().contents()).isEqualTo(1);
        assertThat(other.uploadTo(store, ADA)).isEqualTo(other.id());
    }

    @Test
    void aBrokenManifestKeepsAllContents() throws Exception {
        String id = tree("one").uploadTo(store, ADA);
        referenced.add(id);
        Files.writeString(store.manifest(ADA, id), "{");
        pass(Duration.ofHours(2));
        assertThatThrownBy(this::sweep)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is broken, so that no content can be removed");
        assertThat(store.content(ADA, Draft.digest("one"))).exists();
    }

    @Test
    void marksNeverForget() {
        for (int from = 0; from <= 57; from++) {
            DigestMarks marks = new DigestMarks(from);
            marks.mark(Draft.digest("a"));
            assertThat(marks.mayHave(Draft.digest("a"))).isTrue();
            assertThat(marks.mayHave(Draft.digest("b"))).isFalse();
            marks.clear();
            assertThat(marks.mayHave(Draft.digest("a"))).isFalse();
        }
    }
}
