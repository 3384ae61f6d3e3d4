package dev.berth.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.security.auth.module.UnixSystem;
import dev.berth.server.target.TargetReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a configuration is read from in a test: files in a folder, variables, options. */
final class ConfigurationFiles {
    private final Path folder;
    private final Map<String, String> variables = new HashMap<>();
    private final List<String> options = new ArrayList<>();
    private long uid = 1_000;

    ConfigurationFiles(Path folder) {
        this.folder = folder;
        variables.put("HOME", folder.toString());
        uid = new UnixSystem().getUid() == 0 ? uid : new UnixSystem().getUid();
    }

    Path system() {
        return folder.resolve("etc/berth.yaml");
    }

    Path user() {
        return folder.resolve(".config/berth/berth.yaml");
    }

    Path file(Path file, String text) {
        return file(file, text.getBytes(StandardCharsets.UTF_8));
    }

    Path file(Path file, byte[] text) {
        try {
            Files.createDirectories(file.getParent());
            Files.write(file, text);
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    ConfigurationFiles variable(String name, String value) {
        variables.put(name, value);
        return this;
    }

    ConfigurationFiles options(String... words) {
        options.addAll(List.of(words));
        return this;
    }

    ConfigurationFiles asRoot() {
        uid = 0;
        return this;
    }

    Configuration read() {
        return Configuration.read(
                options,
                new ProcessEnvironment(variables, Path.of("/home/ada"), Path.of("/var/data"), system(), uid),
                new TargetReader(uid));
    }

    /** What is wrong, with the folder's own path left out. */
    List<String> problems() {
        ConfigurationException wrong = catchThrowableOfType(ConfigurationException.class, this::read);
        assertThat(wrong).as("it was taken").isNotNull();
        return wrong.problems().stream()
                .map(line -> line.replace(folder + "/", ""))
                .toList();
    }
}
