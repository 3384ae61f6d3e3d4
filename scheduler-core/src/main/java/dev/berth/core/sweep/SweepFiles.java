package dev.berth.core.sweep;

/** Files that sweep files import. */
@FunctionalInterface
public interface SweepFiles {
    /**
     * The file at a path that a file names; the same object for the same file.
     *
     * @param path as it is written, relative to the directory of the importing file
     * @param place where it is written
     * @throws SweepRefusal where it cannot be read
     */
    SweepFile imported(SweepFile importing, String path, SourceLine place);
}
