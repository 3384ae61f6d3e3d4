package dev.berth.server.code;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.Optional;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.Test;

/** The counts and limits of one archive; what may stand in it is told in {@link SnapshotStoreTest}. */
class SnapshotEntriesTest {
    private final SnapshotEntries entries = new SnapshotEntries();

    /** As the archive reader hands it out, its checksum seen to be right. */
    private static TarArchiveEntry entry(String name, char type, long size) {
        TarArchiveEntry entry = new TarArchiveEntry(Tar.header("any", type, 0, 0644, ""));
        entry.setName(name);
        entry.setSize(size);
        return entry;
    }

    private String accept(String name, char type, long size) throws SnapshotException {
        return entries.accept(entry(name, type, size));
    }

    @Test
    void pathsComeOutRelativeAndClean() throws SnapshotException {
        assertThat(accept("a", '0', 0)).isEqualTo("a");
        assertThat(accept("./b", '0', 0)).isEqualTo("b");
        assertThat(accept("d/", '5', 0)).isEqualTo("d");
        assertThat(accept("./e/", '5', 0)).isEqualTo("e");
        assertThat(accept(".", '5', 0)).isEqualTo(".");
        assertThat(accept("./", '5', 0)).isEqualTo(".");
        assertThat(accept("", '5', 0)).isEqualTo(".");
    }

    @Test
    void onlyFilesAreCounted() throws SnapshotException {
        accept("d/", '5', 0);
        accept("d/f", '0', 10);
        accept("d/g", '0', 5);
        accept("d/h", (char) TarConstants.LF_CONTIG, 1);
        assertThat(entries.files()).isEqualTo(3);
        assertThat(entries.bytes()).isEqualTo(16);
    }

    @Test
    void exactlyTheLimitIsTaken() throws SnapshotException {
        accept("a", '0', SnapshotEntries.MAX_BYTES - 1);
        accept("b", '0', 1);
        assertThat(entries.bytes()).isEqualTo(SnapshotEntries.MAX_BYTES);
        tooLarge("c", 1, "more than 1024 MiB");
    }

    @Test
    void sizesThatOverflowTogetherAreTooLarge() throws SnapshotException {
        accept("a", '0', 1);
        tooLarge("b", Long.MAX_VALUE, "more than 1024 MiB");
    }

    @Test
    void directoriesThatAreNotNamedCountToo() throws SnapshotException {
        int files = SnapshotEntries.MAX_ENTRIES / 10;
        for (int i = 0; i < files; i++) {
            accept(i + "/a/b/c/d/e/f/g/h/f", '0', 0);
        }
        tooLarge("one/more", 0, "more than 100000 files and directories");
    }

    @Test
    void pathsTakeABoundedAmountOfMemory() throws SnapshotException {
        String longPath = ("/" + "n".repeat(250)).repeat(16);
        Optional<SnapshotException> refusal = Optional.empty();
        for (int i = 0; i < 10_000 && refusal.isEmpty(); i++) {
            refusal = refusal(i + longPath, 0);
        }
        assertThat(refusal.orElseThrow().sentence()).contains("33554432 characters in all");
    }

    @Test
    void linksWithoutEndAreNotFollowedWithoutEnd() throws SnapshotException {
        String longTarget = "x/../".repeat(800);
        for (int i = 0; i < 10_000; i++) {
            TarArchiveEntry link = entry("l" + i, '2', 0);
            link.setLinkName(longTarget + "l" + (i + 1));
            entries.accept(link);
        }
        assertThatExceptionOfType(SnapshotException.class)
                .isThrownBy(entries::finish)
                .withMessageContaining("too tangled");
    }

    private void tooLarge(String name, long size, String sentence) {
        SnapshotException refusal = refusal(name, size).orElseThrow();
        assertThat(refusal.isTooLarge()).isTrue();
        assertThat(refusal.sentence()).contains(sentence);
    }

    private Optional<SnapshotException> refusal(String name, long size) {
        try {
            accept(name, '0', size);
            return Optional.empty();
        } catch (SnapshotException e) {
            return Optional.of(e);
        }
    }
}
