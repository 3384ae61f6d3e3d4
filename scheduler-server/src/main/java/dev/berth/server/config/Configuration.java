package dev.berth.server.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The configuration that counts, from all its sources.
 *
 * @param files those that were read, by rising rank
 * @param lines every setting with its value and where that came from
 */
public record Configuration(Settings settings, List<Path> files, List<Line> lines) {
    /** Settings that users' servers do not take from the machine: where its own server is, is nothing to them. */
    private static final Set<Key<?>> PLACES = Set.of(Keys.DATA_DIRECTORY, Keys.SOCKET);

    public Configuration {
        files = List.copyOf(files);
        lines = List.copyOf(lines);
    }

    /**
     * Setting as it counts.
     *
     * @param values the texts that count: one, or any number where it is a list; none where it has no value
     */
    public record Line(String key, List<String> values, boolean isList, String from) {
        public Line {
            values = List.copyOf(values);
        }

        /** For people. */
        public String value() {
            return values.isEmpty() ? (isList ? "[]" : "none") : Problems.shown(String.join(", ", values));
        }
    }

    /**
     * Reads all sources by rising rank: what is built in, the system's file, the user's file, variables, options.
     *
     * @param options {@code --option=value} words
     * @throws ConfigurationException with every problem there is
     */
    public static Configuration read(List<String> options, ProcessEnvironment environment) {
        return read(options, environment, NamedSection.NONE);
    }

    /**
     * The same, with a section of the files that is read by another.
     *
     * @throws ConfigurationException with every problem there is
     */
    public static Configuration read(List<String> options, ProcessEnvironment environment, NamedSection named) {
        Problems problems = new Problems();
        Values values = new Values(problems);
        List<Path> files = files(options, environment, values, named, problems);
        VariableSource.read(environment, values, problems);
        OptionSource.read(options, environment.directory(), values, problems);
        places(environment, values);
        Checks.check(values, problems);
        if (problems.count() > 0) {
            throw new ConfigurationException(problems.count(), problems.lines());
        }
        return new Configuration(new Settings(values), files, lines(values, named));
    }

    private static List<Path> files(
            List<String> options,
            ProcessEnvironment environment,
            Values values,
            NamedSection named,
            Problems problems) {
        String option = OptionSource.config(options);
        String path = option == null ? environment.said(ProcessEnvironment.CONFIG_VARIABLE) : option;
        List<Path> read = new ArrayList<>();
        if (path != null) {
            Path file = environment.directory().resolve(path).normalize();
            file(file, true, Set.of(), environment, values, named, problems).ifPresent(read::add);
        } else {
            Path system = environment.systemFile();
            file(system, false, environment.isRoot() ? Set.of() : PLACES, environment, values, named, problems)
                    .ifPresent(read::add);
            environment
                    .userFile()
                    .flatMap(user -> file(user, false, Set.of(), environment, values, named, problems))
                    .ifPresent(read::add);
        }
        return read;
    }

    private static Optional<Path> file(
            Path file,
            boolean required,
            Set<Key<?>> passedOver,
            ProcessEnvironment environment,
            Values values,
            NamedSection named,
            Problems problems) {
        Optional<String> text = FileText.read(file, required, environment.uid(), problems);
        text.ifPresent(it -> FileSource.read(file, it, passedOver, values, named, problems));
        return text.map(_ -> file);
    }

    /**
     * The places that follow from others where nobody names them. A data directory of a higher rank than the socket
     * means another server than the one whose socket that is, and commands look for this one's in that directory.
     */
    private static void places(ProcessEnvironment environment, Values values) {
        if (values.origin(Keys.PROFILES) instanceof Origin.BuiltIn builtIn) {
            Path profiles = environment.systemFile().resolveSibling("profiles.yaml");
            values.put(Keys.PROFILES, List.of(profiles.toString()), builtIn);
        }
        if (values.find(Keys.DATA_DIRECTORY) == null) {
            Path data = environment.dataDirectory();
            values.put(Keys.DATA_DIRECTORY, List.of(data.toString()), values.origin(Keys.DATA_DIRECTORY));
        }
        boolean isOfAnother = values.origin(Keys.SOCKET).rank()
                < values.origin(Keys.DATA_DIRECTORY).rank();
        if (values.find(Keys.SOCKET) == null || isOfAnother) {
            Path socket = values.get(Keys.DATA_DIRECTORY).resolve("berth.sock");
            values.put(Keys.SOCKET, List.of(socket.toString()), values.origin(Keys.SOCKET));
        }
    }

    private static List<Line> lines(Values values, NamedSection named) {
        List<Line> lines = new ArrayList<>();
        for (Key<?> key : Keys.ALL) {
            GivenValue given = values.given(key);
            lines.add(new Line(
                    key.name(),
                    given.texts(),
                    key.type().isList(),
                    given.origin().label()));
        }
        lines.addAll(named.lines());
        return lines;
    }
}
