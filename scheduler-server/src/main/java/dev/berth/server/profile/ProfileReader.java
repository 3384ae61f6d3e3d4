package dev.berth.server.profile;

import dev.berth.core.api.OptionValues;
import dev.berth.core.command.ClosestWord;
import dev.berth.server.config.Lines;
import dev.berth.server.config.Problems;
import dev.berth.server.config.YamlNode;
import dev.berth.server.config.YamlNode.Entries;
import dev.berth.server.config.YamlNode.Entry;
import dev.berth.server.config.YamlNode.Scalar;
import dev.berth.server.config.YamlReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The profiles of a file of QHub's or Nebari's: {@code profiles.jupyterlab}, alone or with the whole configuration around it.
 * For one reading.
 */
final class ProfileReader {
    /** A profile of the seed's lies nine deep. */
    private static final int MAX_DEPTH = 16;

    private static final int MAX_PROFILES = 200;
    private static final int MAX_NAME = 128;
    private static final int MAX_DESCRIPTION = 1_000;
    private static final Pattern INVISIBLE = Pattern.compile("[\\p{Cntrl}\\p{Cf}\\u0080-\\u009f\\u2028\\u2029]");
    private static final Set<String> TRUE = Set.of("true", "yes", "on");
    private static final Set<String> FALSE = Set.of("false", "no", "off");
    private static final List<String> SECTIONS = List.of("jupyterlab", "dask_worker");
    private static final List<String> FIELDS = List.of(
            "display_name", "description", "default", "access", "users", "groups", "kubespawner_override", "slug");

    private final Lines lines;
    private final List<Profile> profiles = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();
    private final Map<String, Integer> names = new HashMap<>();
    private @Nullable Integer preselected;

    private ProfileReader(Lines lines) {
        this.lines = lines;
    }

    /** The profiles of a file's text; what is wrong with it is added to the problems. */
    static ProfileSet read(Path file, String text, Problems problems) {
        ProfileReader reader = new ProfileReader(new Lines(file, problems));
        YamlReader.read(file, text, MAX_DEPTH, problems).ifPresent(reader::root);
        return new ProfileSet(reader.profiles, reader.remarks);
    }

    private void root(YamlNode node) {
        if (node instanceof Scalar scalar && scalar.isNull()) {
            return;
        }
        List<Entry> found = node instanceof Entries all
                ? all.entries().stream()
                        .filter(entry -> entry.name().equals("profiles"))
                        .toList()
                : List.of();
        if (found.isEmpty()) {
            lines.refuse(node.line(), "profiles", "is not there; the profiles stand below profiles:, jupyterlab:");
        } else if (found.size() > 1) {
            lines.refuse(
                    found.get(1).line(),
                    "profiles",
                    "stands in line " + found.getFirst().line() + " already");
        } else {
            lines.section(found.getFirst()).forEach(this::section);
        }
    }

    private void section(Entry entry) {
        switch (entry.name()) {
            case "jupyterlab" -> lines.items(entry).forEach(item -> profile(entry, item));
            case "dask_worker" ->
                remarks.add(
                        "dask_worker in line " + entry.line() + " means nothing here: Berth starts no workers of Dask");
            default ->
                lines.refuse(
                        entry.line(),
                        entry.name(),
                        "is no kind of profile" + ClosestWord.question(entry.name(), SECTIONS)
                                + " the profiles of jobs stand below jupyterlab:");
        }
    }

    private void profile(Entry list, YamlNode item) {
        if (!(item instanceof Entries section)) {
            lines.refuse(item.line(), list.name(), "an item must be a profile, with its display_name");
            return;
        }
        Map<String, Entry> fields = new HashMap<>();
        for (Entry field : lines.unique(section)) {
            if (field.name().equals("profile_options")) {
                lines.refuse(
                        field.line(),
                        field.name(),
                        "is not taken: there is no form to choose in; write a profile for each choice");
            } else if (!FIELDS.contains(field.name())) {
                lines.refuse(
                        field.line(),
                        field.name(),
                        "is nothing that a profile has" + ClosestWord.question(field.name(), FIELDS)
                                + " docs/profiles.md lists what is understood");
            }
            fields.put(field.name(), field);
        }
        Audience audience = audience(section.line(), fields);
        OverrideReader override = new OverrideReader(lines);
        Entry overrides = fields.get("kubespawner_override");
        OptionValues values = overrides == null ? new OptionValues(Map.of()) : override.read(overrides);
        String description = text(fields.get("description")).orElse("");
        boolean isPreselected = isPreselected(fields.get("default"));
        name(section.line(), fields.get("display_name")).ifPresent(name -> {
            if (profiles.size() == MAX_PROFILES) {
                lines.refuse(
                        section.line(), name, "is one profile more than the " + MAX_PROFILES + " that a file may have");
            } else if (profiles.size() < MAX_PROFILES) {
                profiles.add(new Profile(
                        name, cut(description), isPreselected, audience, values, override.nodes(), override.unused()));
            }
        });
    }

    private Optional<String> text(@Nullable Entry entry) {
        return entry == null ? Optional.empty() : lines.text(entry);
    }

    /** For one line of a list. */
    private static String cut(String description) {
        String line = INVISIBLE.matcher(description.strip()).replaceAll(" ");
        return line.length() > MAX_DESCRIPTION ? line.substring(0, MAX_DESCRIPTION) + "..." : line;
    }

    private Optional<String> name(int line, @Nullable Entry entry) {
        Optional<String> name = text(entry);
        if (entry == null || name.isEmpty()) {
            lines.refuse(line, "display_name", "is not there; a profile is named by it");
            return Optional.empty();
        }
        String text = name.get();
        Integer before = names.putIfAbsent(text, entry.line());
        if (text.isBlank()
                || text.length() > MAX_NAME
                || INVISIBLE.matcher(text).find()) {
            lines.broken(
                    entry, text, "must have 1 to " + MAX_NAME + " characters, and no control or formatting characters");
            return Optional.empty();
        }
        if (before != null) {
            lines.broken(entry, text, "is the name of the profile in line " + before + " already");
            return Optional.empty();
        }
        return name;
    }

    private boolean isPreselected(@Nullable Entry entry) {
        Optional<String> text = text(entry);
        if (entry == null || text.isEmpty()) {
            return false;
        }
        String word = text.get().toLowerCase(Locale.ROOT);
        if (!TRUE.contains(word)) {
            if (!FALSE.contains(word)) {
                lines.broken(entry, text.get(), "must be true or false");
            }
            return false;
        }
        if (preselected != null) {
            lines.refuse(
                    entry.line(),
                    entry.name(),
                    "is true of the profile in line " + preselected + " already, and may be of one");
        }
        preselected = entry.line();
        return true;
    }

    private Audience audience(int line, Map<String, Entry> fields) {
        Entry access = fields.get("access");
        String word = text(access).orElse("all");
        Entry users = fields.get("users");
        Entry groups = fields.get("groups");
        Audience audience = switch (word) {
            case "all" -> new Audience.Everybody();
            case "yaml" ->
                new Audience.Named(
                        users == null ? List.of() : lines.texts(users),
                        groups == null ? List.of() : lines.texts(groups));
            case "keycloak" -> new Audience.OfKeycloak();
            default -> {
                lines.refuse(
                        access == null ? line : access.line(),
                        "access",
                        "'" + Problems.shown(word) + "' must be all, yaml (with users and groups) or keycloak");
                yield new Audience.OfKeycloak();
            }
        };
        Entry named = users == null ? groups : users;
        if (named != null && (audience instanceof Audience.Everybody)) {
            lines.refuse(named.line(), named.name(), "goes with access: yaml alone; say that, or leave it out");
        }
        return audience;
    }
}
