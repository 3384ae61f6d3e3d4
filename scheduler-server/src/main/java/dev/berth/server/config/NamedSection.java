package dev.berth.server.config;

import dev.berth.server.config.YamlNode.Entry;
import java.util.List;

/**
 * Section of the files that holds things under names of the operator's, and no settings of {@link Keys}. For one reading of a
 * configuration.
 */
public interface NamedSection {
    /** No such section. */
    NamedSection NONE = new NamedSection() {
        @Override
        public String name() {
            return "";
        }

        @Override
        public void read(Lines lines, Entry section) {}

        @Override
        public List<Configuration.Line> lines() {
            return List.of();
        }
    };

    /** The name of the section. */
    String name();

    /**
     * Takes what one file says. Files come by rising rank.
     *
     * @param lines of the file, for what is wrong with it
     */
    void read(Lines lines, Entry section);

    /** What counts, as {@code berth config show} shows it. */
    List<Configuration.Line> lines();
}
