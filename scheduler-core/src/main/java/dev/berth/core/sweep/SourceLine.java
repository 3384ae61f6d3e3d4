package dev.berth.core.sweep;

/** Line of a value: its file as people know it, and the line in it, from 1. */
public record SourceLine(String file, int line) {
    @Override
    public String toString() {
        return file + ":" + line;
    }
}
