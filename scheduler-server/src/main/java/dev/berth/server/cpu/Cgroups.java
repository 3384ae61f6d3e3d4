package dev.berth.server.cpu;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The CPUs and memory that a process's cgroup lets it use, in version 2 and version 1 (cgroups(7)). Where the process
 * cannot see its cgroup's own directory, as in a container, what is mounted counts.
 *
 * @param proc the process's directory in {@code /proc}
 * @param root where cgroups are mounted
 */
record Cgroups(Path proc, Path root) {
    private static final String CPUSET_V1 = "cpuset";
    private static final String MEMORY_V1 = "memory";

    /** Below which the engine makes its containers' cgroups: with the driver cgroupfs, and with systemd's. */
    private static final List<String> ENGINE = List.of("docker", "system.slice");

    /** The cores that the cgroup leaves; nothing where no cgroup says so. */
    Optional<NavigableSet<Integer>> cpus() {
        return Stream.concat(
                        Stream.of(CPUSET_V1).flatMap(v1 -> places(v1).stream()).map(Cgroups::cpusV1),
                        places("").stream().map(Cgroups::cpusV2))
                .flatMap(Optional::stream)
                .findFirst();
    }

    /** The cores that the engine's containers can have; nothing where that cannot be seen from here. */
    Optional<NavigableSet<Integer>> engineCpus() {
        return ENGINE.stream()
                .flatMap(name -> Stream.of(cpusV1(root.resolve(CPUSET_V1).resolve(name)), cpusV2(root.resolve(name))))
                .flatMap(Optional::stream)
                .findFirst();
    }

    /** The least that the cgroup and those above it allow; nothing where none is limited. */
    Optional<Long> memoryBytes() {
        Stream<Long> limits =
                Stream.concat(limits(places(MEMORY_V1), "memory.limit_in_bytes"), limits(places(""), "memory.max"));
        return limits.min(Long::compare);
    }

    private static Stream<Long> limits(List<Path> places, String file) {
        return places.stream()
                .flatMap(place -> KernelFiles.text(place.resolve(file)).stream())
                .flatMap(text -> KernelFiles.number(text).stream());
    }

    private static Optional<NavigableSet<Integer>> cpusV1(Path place) {
        return given(place.resolve("cpuset.effective_cpus")).or(() -> given(place.resolve("cpuset.cpus")));
    }

    private static Optional<NavigableSet<Integer>> cpusV2(Path place) {
        return given(place.resolve("cpuset.cpus.effective"));
    }

    /** A cgroup without a core of its own says nothing: it uses those above it. */
    private static Optional<NavigableSet<Integer>> given(Path file) {
        return KernelFiles.list(file).filter(cpus -> !cpus.isEmpty());
    }

    /** The directories of the process's cgroup and of those above it, the nearest first; "" stands for version 2. */
    private List<Path> places(String controller) {
        Path mount = root.resolve(controller);
        Path place = mount.resolve(membership(controller).map(Cgroups::relative).orElse(""))
                .normalize();
        List<Path> places = new ArrayList<>();
        // Out of its namespace's root, a cgroup's name begins with "/..", which leads nowhere here.
        for (Path at = place; at != null && at.startsWith(mount); at = at.getParent()) {
            places.add(at);
        }
        return places.isEmpty() ? List.of(mount) : places;
    }

    private static String relative(String path) {
        return path.startsWith("/") ? path.substring(1) : path;
    }

    /** Lines are {@code ID:CONTROLLERS:PATH}, with ID 0 and no controllers for version 2. */
    private Optional<String> membership(String controller) {
        Function<String[], Boolean> isIts = fields -> controller.isEmpty()
                ? fields[0].equals("0") && fields[1].isEmpty()
                : Arrays.asList(fields[1].split(",")).contains(controller);
        return KernelFiles.lines(proc.resolve("cgroup")).stream()
                .map(line -> line.split(":", 3))
                .filter(fields -> fields.length == 3 && isIts.apply(fields))
                .map(fields -> fields[2])
                .findFirst();
    }
}
