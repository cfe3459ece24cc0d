//! States stored for a backward pass, packed: a slot takes no more memory than the state's own numbers.

use gradbody_contact::MemoryLayout;
use gradbody_math::Scalar;

use crate::State;

/// Size of a memory block, in numbers.
const BLOCK: usize = 2048;

/// States in numbered slots, as a stack: filling or reading a slot drops those above it.
#[derive(Clone, Debug)]
pub(crate) struct Snapshots<S> {
    /// Full blocks and one that is being filled; they do not move when more are added.
    blocks: Vec<Vec<S>>,
    /// For each slot, the index of the layout of its impulses.
    slots: Vec<u32>,
    /// The contacts that impulses belong to, and the resulting size of a slot. Consecutive slots share a layout.
    layouts: Vec<(MemoryLayout, usize)>,
}

impl<S: Scalar> Snapshots<S> {
    /// No slots.
    pub(crate) fn new() -> Self {
        Snapshots { blocks: Vec::new(), slots: Vec::new(), layouts: Vec::new() }
    }

    /// Makes room for this many slots.
    pub(crate) fn reserve(&mut self, slots: usize) {
        self.slots.reserve_exact(slots);
    }

    /// Drops all slots and frees the memory.
    pub(crate) fn clear(&mut self) {
        *self = Snapshots::new();
    }

    pub(crate) fn store(&mut self, slot: usize, state: &State<S>) {
        self.truncate(slot);
        let State { q, v, activation, memory, contact, .. } = state;
        if !self.layouts.last().is_some_and(|(layout, _)| contact.has_layout(layout)) {
            let mut size = q.len() + v.len() + activation.len() + memory.len();
            contact.for_numbers(|_| size += 1);
            self.layouts.push((contact.layout(), size));
        }
        self.slots.push((self.layouts.len() - 1) as u32);
        for x in q.iter().chain(v).chain(activation).chain(memory) {
            self.push(*x);
        }
        contact.for_numbers(|x| self.push(x));
    }

    fn push(&mut self, x: S) {
        if self.blocks.last().is_none_or(|block| block.len() == BLOCK) {
            self.blocks.push(Vec::with_capacity(BLOCK));
        }
        if let Some(block) = self.blocks.last_mut() {
            block.push(x);
        }
    }

    fn truncate(&mut self, slots: usize) {
        while self.slots.len() > slots {
            let Some(layout) = self.slots.pop() else { return };
            let mut size = self.layouts[layout as usize].1;
            while let Some(block) = self.blocks.last_mut()
                && size > 0
            {
                let here = size.min(block.len());
                block.truncate(block.len() - here);
                size -= here;
                if block.is_empty() {
                    self.blocks.pop();
                }
            }
        }
        self.layouts.truncate(self.slots.last().map_or(0, |layout| *layout as usize + 1));
    }

    /// Copies the state in a slot to `state`, except the time.
    pub(crate) fn restore(&mut self, slot: usize, state: &mut State<S>) {
        self.truncate(slot + 1);
        let (layout, size) = &self.layouts[self.slots[slot] as usize];
        let full = self.blocks.len().saturating_sub(1) * BLOCK;
        let end = full + self.blocks.last().map_or(0, Vec::len);
        let mut numbers = (end - size..end).map(|i| self.blocks[i / BLOCK][i % BLOCK]);
        for to in [&mut state.q, &mut state.v, &mut state.activation, &mut state.memory] {
            to.iter_mut().zip(&mut numbers).for_each(|(to, x)| *to = x);
        }
        state.contact.restore(layout, numbers);
    }
}
