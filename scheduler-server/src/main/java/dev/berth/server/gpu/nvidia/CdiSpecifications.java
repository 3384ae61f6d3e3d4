package dev.berth.server.gpu.nvidia;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * The devices that the specifications of the Container Device Interface on this machine describe
 * (github.com/cncf-tags/container-device-interface, SPEC.md: files {@code .yaml} and {@code .json} in the directories).
 *
 * @param files those that are about the kind in question
 * @param devices their devices by full names, {@code nvidia.com/gpu=GPU-...}
 * @param problems files that cannot be read, a sentence each
 */
public record CdiSpecifications(List<Path> files, Set<String> devices, List<String> problems) {
    /** The toolkit's has some 10 KB a GPU. */
    private static final int MAX_BYTES = 4 << 20;

    private static final int MAX_FILES = 256;

    public CdiSpecifications {
        files = List.copyOf(files);
        devices = Set.copyOf(devices);
        problems = List.copyOf(problems);
    }

    /** Reads those of one kind; directories that are not there hold none. */
    public static CdiSpecifications read(List<Path> directories, String kind) {
        List<Path> files = new ArrayList<>();
        Set<String> devices = new HashSet<>();
        List<String> problems = new ArrayList<>();
        for (Path directory : directories) {
            for (Path file : files(directory, problems)) {
                try {
                    Set<String> found = devices(file, kind);
                    if (!found.isEmpty()) {
                        files.add(file);
                        devices.addAll(found);
                    }
                } catch (IOException | YamlEngineException e) {
                    problems.add(file + " cannot be read: "
                            + String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
                }
            }
        }
        return new CdiSpecifications(files, devices, problems);
    }

    private static List<Path> files(Path directory, List<String> problems) {
        List<Path> files = new ArrayList<>();
        if (!Files.isDirectory(directory)) {
            return files;
        }
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, "*.{yaml,json}")) {
            for (Path entry : entries) {
                if (files.size() == MAX_FILES) {
                    problems.add(directory + " holds more than " + MAX_FILES + " specifications");
                    break;
                }
                files.add(entry);
            }
        } catch (IOException | UncheckedIOException e) {
            problems.add(directory + " cannot be read: " + e.getMessage());
        }
        files.sort(Path::compareTo);
        return files;
    }

    private static Set<String> devices(Path file, String kind) throws IOException {
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(MAX_BYTES + 1);
        }
        if (bytes.length > MAX_BYTES) {
            throw new IOException("it has more than " + MAX_BYTES + " bytes");
        }
        LoadSettings settings =
                LoadSettings.builder().setCodePointLimit(MAX_BYTES).build();
        Set<String> devices = new HashSet<>();
        if (new Load(settings).loadFromString(new String(bytes, StandardCharsets.UTF_8)) instanceof Map<?, ?> spec
                && kind.equals(spec.get("kind"))
                && spec.get("devices") instanceof List<?> list) {
            for (Object item : list) {
                if (item instanceof Map<?, ?> device && device.get("name") instanceof String name) {
                    devices.add(kind + "=" + name);
                }
            }
        }
        return devices;
    }
}
