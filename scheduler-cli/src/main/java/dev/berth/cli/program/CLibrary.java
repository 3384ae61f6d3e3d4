package dev.berth.cli.program;

import dev.berth.cli.exit.Failure;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/** The functions of the C library that Java has no words for. Each answers as C does. Safe for any thread. */
public final class CLibrary {
    public static final MemoryLayout INT = ValueLayout.JAVA_INT;
    public static final MemoryLayout LONG = ValueLayout.JAVA_LONG;
    public static final MemoryLayout POINTER = ValueLayout.ADDRESS;
    static final int EINTR = 4;

    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(PathElement.groupElement("errno"));

    private final Linker linker = Linker.nativeLinker();

    /** A function that answers an int. */
    public static final class Function {
        private final MethodHandle handle;

        private Function(MethodHandle handle) {
            this.handle = handle;
        }

        /** The function's answer; where that is -1, the negative error number. */
        public int call(Object... arguments) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment state = arena.allocate(STATE);
                Object[] all = new Object[arguments.length + 1];
                all[0] = state;
                System.arraycopy(arguments, 0, all, 1, arguments.length);
                int answer = (int) handle.invokeWithArguments(all);
                return answer == -1 ? -(int) ERRNO.get(state, 0L) : answer;
            } catch (RuntimeException | Error failure) {
                throw failure;
            } catch (Throwable failure) {
                throw new IllegalStateException("the C library throws nothing", failure);
            }
        }
    }

    public Function function(String name, MemoryLayout... parameters) {
        return function(name, FunctionDescriptor.of(ValueLayout.JAVA_INT, parameters));
    }

    /** A function whose arguments behind the first so many are variadic. */
    public Function variadic(String name, int fixed, MemoryLayout... parameters) {
        return function(
                name, FunctionDescriptor.of(ValueLayout.JAVA_INT, parameters), Linker.Option.firstVariadicArg(fixed));
    }

    /** The address of a function. */
    MemorySegment address(String name) {
        return linker.defaultLookup()
                .find(name)
                .orElseThrow(() -> Failure.berth("NO_C_LIBRARY", "the C library of this machine has no " + name));
    }

    @SuppressWarnings("restricted")
    private Function function(String name, FunctionDescriptor shape, Linker.Option... options) {
        Linker.Option[] all = Arrays.copyOf(options, options.length + 1);
        all[options.length] = Linker.Option.captureCallState("errno");
        return new Function(linker.downcallHandle(address(name), shape, all));
    }
}
