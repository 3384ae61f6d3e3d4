package dev.berth.server.target;

import dev.berth.core.api.TargetView;
import dev.berth.core.command.TargetName;
import dev.berth.server.config.Configuration.Line;
import dev.berth.server.config.Lines;
import dev.berth.server.config.Member;
import dev.berth.server.config.NamedSection;
import dev.berth.server.config.YamlNode.Entry;
import dev.berth.server.runner.target.TargetSettings;
import dev.berth.server.target.TargetConfig.EngineSettings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The section {@code targets} of the configuration's files. A target of a file takes the place of one of its name in a file of
 * lower rank. For one reading.
 */
public final class TargetReader implements NamedSection {
    static final int DEFAULT_AT_ONCE = 1_000;
    static final int MAX_AT_ONCE = 100_000;
    static final int MAX_TARGETS = 32;

    private static final List<String> ENGINES = List.of("slurm", "kubernetes");
    private static final List<String> KNOWN = List.of("slurm", "kubernetes", "at-once", "users");

    private record Found(TargetConfig config, List<Line> lines) {}

    private final long uid;
    private final Map<String, Found> found = new LinkedHashMap<>();

    /**
     * A reader of files.
     *
     * @param uid whom the server runs as
     */
    public TargetReader(long uid) {
        this.uid = uid;
    }

    /** The targets, by the files' order. */
    public List<TargetConfig> targets() {
        return found.values().stream().map(Found::config).toList();
    }

    @Override
    public String name() {
        return "targets";
    }

    @Override
    public void read(Lines lines, Entry section) {
        for (Entry entry : lines.section(section)) {
            Entry target = Fields.below(section, entry);
            if (isName(lines, target, entry.name())) {
                target(lines, target, entry.name());
            }
        }
        if (found.size() > MAX_TARGETS) {
            lines.refuse(
                    section.line(), name(), "there are " + found.size() + " targets, and there may be " + MAX_TARGETS);
        }
    }

    private static boolean isName(Lines lines, Entry target, String name) {
        boolean isOurs = name.equals(TargetView.SCHEDULER);
        boolean isGood = TargetName.isGood(name);
        if (isOurs) {
            lines.refuse(target.line(), target.name(), "is this machine's own queue; give the target another name");
        } else if (!isGood) {
            lines.refuse(
                    target.line(),
                    target.name(),
                    "a target's name must be 1 to 30 lower-case letters, digits and hyphens, with no hyphen at an end");
        }
        return isGood && !isOurs;
    }

    private void target(Lines lines, Entry target, String name) {
        Fields fields = new Fields(lines, target, "a target", KNOWN);
        int atOnce = number(fields).orElse(DEFAULT_AT_ONCE);
        Entry users = fields.entry("users");
        List<Member> members = users == null ? List.of() : lines.members(users);
        engine(fields).ifPresent(engine -> {
            List<Line> shown = new ArrayList<>();
            ShownLines.of(lines.file(), target, shown);
            List<String> names = members.stream().map(Member::toString).toList();
            found.put(name, new Found(new TargetConfig(new TargetSettings(name, atOnce, names), engine), shown));
        });
    }

    private static Optional<Integer> number(Fields fields) {
        Entry entry = fields.entry("at-once");
        return entry == null ? Optional.empty() : fields.lines().number(entry, 1, MAX_AT_ONCE);
    }

    private Optional<EngineSettings> engine(Fields fields) {
        List<Entry> said = ENGINES.stream()
                .map(fields::entry)
                .filter(Objects::nonNull)
                .map(Objects::requireNonNull)
                .toList();
        if (said.isEmpty()) {
            if (fields.isWhole()) {
                fields.refuse("has no engine; write slurm: or kubernetes: below it");
            }
            return Optional.empty();
        }
        if (said.size() > 1) {
            fields.refuse("has both slurm: (line " + said.getFirst().line() + ") and kubernetes: (line "
                    + said.getLast().line() + "), and a target has one engine; keep one of them");
            return Optional.empty();
        }
        Entry engine = said.getFirst();
        return Optional.of(
                fields.has("slurm")
                        ? new EngineSettings.Slurm(SlurmReader.read(fields.lines(), engine, uid))
                        : new EngineSettings.Kubernetes(KubernetesReader.read(fields.lines(), engine)));
    }

    @Override
    public List<Line> lines() {
        return found.values().stream().flatMap(each -> each.lines().stream()).toList();
    }
}
