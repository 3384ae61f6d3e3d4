package dev.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Texts kept in files. After a change that is meant: {@code mvn -pl scheduler-cli test -Dberth.write.golden=true}. */
public final class Golden {
    private static final Path DIRECTORY = Path.of("src/test/resources/golden");

    private Golden() {}

    public static void check(String name, String actual) throws IOException {
        Path file = DIRECTORY.resolve(name + ".txt");
        if (Boolean.getBoolean("berth.write.golden")) {
            Files.writeString(file, actual);
        }
        assertThat(actual).as(name).isEqualTo(Files.readString(file));
    }
}
