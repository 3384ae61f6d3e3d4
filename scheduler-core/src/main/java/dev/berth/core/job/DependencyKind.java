package dev.berth.core.job;

import java.util.Arrays;
import java.util.Optional;

/** How another job has to end before one may start; the words are those of {@code sbatch --dependency}. */
public enum DependencyKind {
    /** The other has {@code COMPLETED}. */
    AFTER_OK("afterok"),
    /** The other has ended in whatever way. */
    AFTER_ANY("afterany"),
    /** The other has ended in any way but {@code COMPLETED}. */
    AFTER_NOT_OK("afternotok"),
    /** Of two arrays: for each task, that of the other with the same index has {@code COMPLETED}. */
    AFTER_CORR("aftercorr");

    private final String word;

    DependencyKind(String word) {
        this.word = word;
    }

    public String word() {
        return word;
    }

    /** Whether the end of the other job in a state is as asked for. */
    public boolean isMetBy(StateName end) {
        return switch (this) {
            case AFTER_OK -> end == StateName.COMPLETED;
            case AFTER_CORR -> end == StateName.COMPLETED;
            case AFTER_ANY -> true;
            case AFTER_NOT_OK -> end != StateName.COMPLETED;
        };
    }

    /** The kind with such a word; empty where there is none. */
    public static Optional<DependencyKind> of(String word) {
        return Arrays.stream(values()).filter(kind -> kind.word.equals(word)).findFirst();
    }
}
