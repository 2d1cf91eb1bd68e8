//! What the values made by one worker share: the [`Context`] of every type.

use base::{Context, DataType, Rng};

/// The context of a type, made when it is first wanted. It is missing while it is lent out, and
/// after a request that panicked.
pub struct Slot<C> {
    context: Option<Box<C>>,
    /// Bytes that it said it held.
    memory: usize,
}

impl<C> Default for Slot<C> {
    fn default() -> Self {
        Slot { context: None, memory: 0 }
    }
}

impl<C: Context> Slot<C> {
    fn memory(&mut self) -> usize {
        if let Some(bytes) = self.context.as_mut().and_then(|context| context.new_memory()) {
            self.memory = bytes;
        }
        self.memory
    }
}

/// Where the context of the type `T` is.
pub trait SlotOf<T: DataType> {
    /// Its place, and what seeds it.
    fn slot(&mut self) -> (&mut Slot<T::Context>, &mut Rng);
}

macro_rules! contexts {
    ($($tag:literal $name:ident $word:literal $type:ty,)*) => {
        /// The context of every type.
        #[allow(non_snake_case)] // a field is named as its type
        pub struct Contexts {
            rng: Rng,
            $($name: Slot<<$type as DataType>::Context>,)*
        }

        impl Contexts {
            /// None is made yet; `seed` is unpredictable.
            #[must_use]
            pub fn new(seed: u64) -> Self {
                Contexts { rng: Rng::new(seed), $($name: Slot::default(),)* }
            }

            /// Bytes that all of them hold. O(types).
            #[inline]
            pub fn memory(&mut self) -> usize {
                0 $(+ self.$name.memory())*
            }
        }

        $(impl SlotOf<$type> for Contexts {
            fn slot(&mut self) -> (&mut Slot<<$type as DataType>::Context>, &mut Rng) {
                (&mut self.$name, &mut self.rng)
            }
        })*
    };
}

base::objects!(contexts);

impl Contexts {
    /// The context of a type.
    pub fn get<T: DataType>(&mut self) -> &mut T::Context
    where
        Self: SlotOf<T>,
    {
        let (slot, rng) = self.slot();
        slot.context.get_or_insert_with(|| Box::new(T::Context::seeded(rng)))
    }

    /// Lends it out, until it is given back.
    pub fn take<T: DataType>(&mut self) -> Box<T::Context>
    where
        Self: SlotOf<T>,
    {
        let (slot, rng) = self.slot();
        slot.context.take().unwrap_or_else(|| Box::new(T::Context::seeded(rng)))
    }

    /// Takes it back; whether it may hold another number of bytes than before.
    pub fn give<T: DataType>(&mut self, mut context: Box<T::Context>) -> bool
    where
        Self: SlotOf<T>,
    {
        let (slot, _) = self.slot();
        let memory = context.new_memory();
        slot.context = Some(context);
        slot.memory = memory.unwrap_or(slot.memory);
        memory.is_some()
    }
}
