package dev.berth.server.config;

import java.util.List;

/** The contents of a file, with the lines they stand on, counted from 1. */
public sealed interface YamlNode {
    int line();

    /**
     * Value.
     *
     * @param isNull whether nothing, or YAML's word for nothing, is written there
     */
    record Scalar(int line, String text, boolean isNull) implements YamlNode {}

    /** A list. */
    record Items(int line, List<YamlNode> nodes) implements YamlNode {}

    /** Names and what stands behind them, in the order of the file. */
    record Entries(int line, List<Entry> entries) implements YamlNode {}

    /**
     * Name of a section, and what stands there.
     *
     * @param name the text of the key; what is no text is no name of ours
     */
    record Entry(int line, String name, YamlNode value) {}
}
