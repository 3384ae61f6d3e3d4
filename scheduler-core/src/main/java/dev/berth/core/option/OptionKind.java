package dev.berth.core.option;

/** The kind of an option's value, and so how it is written on a command line. */
public enum OptionKind {
    /** A flag, which is there or not. */
    FLAG,
    TEXT,
    /** Several texts, each by the option once more. */
    TEXTS,
    /** NAME=VALUE, several of them. */
    VARIABLES,
    /** Files of such variables. */
    VARIABLE_FILES,
    /** SOURCE:TARGET[:ro], several of them. */
    VOLUMES,
    /** A word of a set. */
    PULL,
    /** Whole GPUs, or a share of one. */
    GPUS,
    /** A whole number, within the option's {@link Bounds}. */
    NUMBER,
    /** A decimal number of CPUs, in thousandths in the API. */
    CPUS,
    /** An amount with a unit, in bytes in the API. */
    SIZE,
    /** An amount with a unit, in bytes in the API; a number without a unit is GB. */
    MEMORY,
    /** A time, in seconds in the API. */
    DURATION,
    /** A signal, and how long before the time limit; in seconds in the API. */
    SIGNAL,
    /** A date, or how long from now, in ISO form in the API. */
    DATE,
    /** Other jobs, several of them. */
    JOBS,
    /** KIND:JOB, several of them. */
    DEPENDENCIES,
    /** The indices of an array's tasks. */
    TASKS,
    /** A number of tasks, which get the indices from 0 on. */
    TASK_COUNT;

    public boolean hasValue() {
        return this != FLAG;
    }

    /** Whether the option may be given more than once. */
    public boolean isList() {
        return switch (this) {
            case TEXTS, VARIABLES, VARIABLE_FILES, VOLUMES, JOBS, DEPENDENCIES -> true;
            case FLAG, TEXT, PULL, GPUS, NUMBER, CPUS, SIZE, MEMORY, DURATION, SIGNAL, DATE, TASKS, TASK_COUNT -> false;
        };
    }
}
