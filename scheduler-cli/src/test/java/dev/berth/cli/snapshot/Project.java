package dev.berth.cli.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;

/** A directory to submit. */
record Project(Path path) {
    static Project in(Path parent) throws IOException {
        return new Project(Files.createDirectories(parent.resolve("project")));
    }

    Path write(String name, String text) throws IOException {
        Path file = path.resolve(name);
        Path parent = file.getParent();
        assertThat(parent).isNotNull();
        Files.createDirectories(parent);
        return Files.writeString(file, text);
    }

    Path link(String name, String target) throws IOException {
        return Files.createSymbolicLink(path.resolve(name), Path.of(target));
    }

    SnapshotPlan plan() {
        return DirectoryScan.of(path, SnapshotLimits.DEFAULT);
    }

    byte[] archive() throws IOException {
        return archive(plan());
    }

    static byte[] archive(SnapshotPlan plan) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new SnapshotArchive(plan).writeTo(bytes);
        return bytes.toByteArray();
    }

    List<TarArchiveEntry> entries() throws IOException {
        List<TarArchiveEntry> entries = new ArrayList<>();
        try (TarArchiveInputStream tar =
                new TarArchiveInputStream(new ByteArrayInputStream(archive()), StandardCharsets.UTF_8.name())) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                entries.add(entry);
            }
        }
        return entries;
    }

    List<String> names() throws IOException {
        return entries().stream().map(TarArchiveEntry::getName).toList();
    }
}
