package dev.berth.server.linux;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;

/** A function written in C. Safe for any thread where the function is. */
public final class NativeFunction {
    private static final MethodType ANY = MethodType.methodType(Object.class, Object[].class);

    private final MethodHandle handle;

    /** The function at an address, which the caller says has this type. */
    @SuppressWarnings("restricted")
    public NativeFunction(MemorySegment address, FunctionDescriptor type, Linker.Option... options) {
        MethodHandle exact = Linker.nativeLinker().downcallHandle(address, type, options);
        handle = exact.asSpreader(Object[].class, exact.type().parameterCount()).asType(ANY);
    }

    /** A function of the C library. */
    static NativeFunction ofTheCLibrary(String name, FunctionDescriptor type, Linker.Option... options) {
        return new NativeFunction(Linker.nativeLinker().defaultLookup().findOrThrow(name), type, options);
    }

    /**
     * Calls it.
     *
     * @param arguments segments, ints and longs, as its type has them
     * @return as its type has it
     */
    public Object call(Object... arguments) {
        try {
            return (Object) handle.invokeExact(arguments);
        } catch (RuntimeException | Error failure) {
            throw failure;
        } catch (Throwable failure) {
            throw new IllegalStateException("a function in C throws nothing", failure);
        }
    }
}
