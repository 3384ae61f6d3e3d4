package dev.berth.cli.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.AbstractThrowableAssert;

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
        return DirectoryScan.of(path, DirectoryLimits.DEFAULT);
    }

    /** Asserts that it cannot be submitted, for a reason that its user can mend. */
    AbstractThrowableAssert<?, ?> assertRefused() {
        return assertThatThrownBy(this::plan)
                .isInstanceOfSatisfying(
                        Failure.class, failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.USAGE));
    }

    Snapshot snapshot() throws IOException {
        return snapshot(plan());
    }

    static Snapshot snapshot(SnapshotPlan plan) throws IOException {
        return Snapshot.of(plan, Optional.empty(), Progress.NONE);
    }

    String manifest() throws IOException {
        return manifest(snapshot());
    }

    static String manifest(Snapshot snapshot) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        snapshot.writeManifest(bytes);
        return bytes.toString(StandardCharsets.UTF_8);
    }

    static String contents(Snapshot snapshot, String... digests) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        snapshot.writeContents(List.of(digests), bytes, Progress.NONE);
        return bytes.toString(StandardCharsets.UTF_8);
    }

    List<String> names() {
        return plan().entries().stream()
                .map(entry -> entry instanceof DirectoryEntry.Directory ? entry.name() + "/" : entry.name())
                .toList();
    }
}
